import { house } from '#server/services.ts';

function handle(request: Request): Promise<Response> {
  return house().auth.handler(request);
}

export { handle as GET, handle as POST };
