import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { createContext } from '#server/trpc/context.ts';
import { appRouter } from '#server/trpc/root.ts';
import { house } from '#server/services.ts';

function handle(req: Request): Promise<Response> {
  return fetchRequestHandler({
    endpoint: '/api/trpc',
    req,
    router: appRouter,
    createContext,
    // No page of ours asks for more at once; whoever does, asks one after another.
    maxBatchSize: 30,
    onError({ error, path }) {
      if (error.code === 'INTERNAL_SERVER_ERROR') house().log.error({ err: error, path }, 'procedure failed');
    },
  });
}

export { handle as GET, handle as POST };
