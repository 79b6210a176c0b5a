import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { services } from '#server/services.ts';
import { createContext } from '#server/trpc/context.ts';
import { appRouter } from '#server/trpc/root.ts';

function handle(req: Request): Promise<Response> {
  return fetchRequestHandler({
    endpoint: '/api/trpc',
    req,
    router: appRouter,
    createContext,
    // The client's own limit; a larger batch does not come from our pages.
    maxBatchSize: 30,
    onError({ error, path }) {
      if (error.code === 'INTERNAL_SERVER_ERROR')
        services().log.error({ err: error, path }, 'procedure failed');
    },
  });
}

export { handle as GET, handle as POST };
