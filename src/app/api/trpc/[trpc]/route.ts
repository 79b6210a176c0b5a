import { services } from '#server/services.ts';
import { serveTrpc } from '#server/trpc/serve.ts';

function handle(request: Request): Promise<Response> {
  return serveTrpc(services(), request);
}

export { handle as GET, handle as POST };
