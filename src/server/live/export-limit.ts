import { createStreamLimit, whenOver } from './stream-limit.ts';

/** An export reads page after page of a list, and forty of them made another shop's pages wait for seconds. */
const atOnceOfTenant = 2;

/** For downloads of lists, of one process. The one too many does nothing: it is not in the audit log either. */
export function createExportLimit() {
  const { enter } = createStreamLimit({ perNetwork: atOnceOfTenant, total: Number.POSITIVE_INFINITY });
  return {
    async run(tenantId: string, request: Request, respond: () => Promise<Response>): Promise<Response> {
      const leave = enter(tenantId);
      if (!leave) return tooMany();
      request.signal.addEventListener('abort', leave, { once: true });
      const response = await respond().catch((error: unknown) => {
        leave();
        throw error;
      });
      // The body of a response to HEAD is neither read nor cancelled.
      if (response.body && request.method !== 'HEAD' && !request.signal.aborted)
        return new Response(whenOver(response.body, leave), response);
      leave();
      return response;
    },
  };
}

function tooMany(): Response {
  return new Response(
    'Two exports of this shop are being made. Start another one when one of them has ended.',
    {
      status: 429,
      headers: { 'Retry-After': '10' },
    },
  );
}
