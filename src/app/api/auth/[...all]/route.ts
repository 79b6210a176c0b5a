import { services } from '#server/services.ts';

function handle(request: Request): Promise<Response> {
  return services().auth.handler(request);
}

export { handle as GET, handle as POST };
