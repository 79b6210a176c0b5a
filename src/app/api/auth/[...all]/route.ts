import { services } from '#server/services.ts';

async function handle(request: Request): Promise<Response> {
  const { handler } = await services().auth();
  return handler(request);
}

export { handle as GET, handle as POST };
