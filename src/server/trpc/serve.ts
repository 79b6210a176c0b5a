import { TRPCError } from '@trpc/server';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { clientAddressOf, limitedNetworkOf } from '../incoming/client-address.ts';
import { isFromOwnPage } from '../incoming/own-origin.ts';
import { createStreamLimit } from '../live/stream-limit.ts';
import { withinLimit } from '../read-body.ts';
import type { Services } from '../services.ts';
import { createContext } from './context.ts';
import { appRouter } from './root.ts';

/** The client's own limit; a larger batch does not come from our pages. */
const maxBatchSize = 30;

/** The procedures over HTTP. A request that no page of ours would send is refused before anything of it is parsed. */
export async function serveTrpc(services: Services, request: Request): Promise<Response> {
  const refusal = findRefusal(request, services.settings.PUBLIC_URL);
  if (refusal) return refuse(request, refusal);
  const response = await withinLimit(request, maxBodyBytes, (bounded) =>
    fetchRequestHandler({
      endpoint,
      req: bounded,
      router: appRouter,
      createContext,
      maxBatchSize,
      onError({ error, path }) {
        if (error.code === 'INTERNAL_SERVER_ERROR' && !request.signal.aborted)
          services.log.error({ err: error, path }, 'procedure failed');
      },
    }),
  );
  return streams.admit(response, limitedNetworkOf(clientAddressOf(request.headers)), request.signal);
}

const streams = createStreamLimit();
const endpoint = '/api/trpc';
/** A page sends a cart, a form or a batch of thirty calls; the largest of them has a few kilobytes. */
const maxBodyBytes = 64 * 1024;

/**
 * Only what reads is done by GET. A POST has to be JSON, which another site can send only with a CORS permission that we
 * never give: a form or multipart body, which needs none, is refused even where a browser names no origin.
 */
function findRefusal(request: Request, publicUrl: string): TRPCError | undefined {
  if (request.method === 'GET') return undefined;
  if (!isFromOwnPage(request, publicUrl)) {
    return new TRPCError({ code: 'FORBIDDEN', message: 'This request comes from another site.' });
  }
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return undefined;
  return new TRPCError({ code: 'UNSUPPORTED_MEDIA_TYPE', message: 'Send application/json.' });
}

/** The refusal in tRPC's own format. The body is not read, so the connection cannot be used again. */
async function refuse(request: Request, refusal: TRPCError): Promise<Response> {
  const response = await fetchRequestHandler({
    endpoint,
    req: new Request(request.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    }),
    router: appRouter,
    maxBatchSize,
    createContext: () => {
      throw refusal;
    },
  });
  response.headers.set('Connection', 'close');
  return response;
}
