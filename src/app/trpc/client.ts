import { createTRPCClient, httpBatchLink, httpLink, httpSubscriptionLink, splitLink } from '@trpc/client';
import type { AppRouter } from '#server/trpc/root.ts';
import { pageFetch } from './page-fetch.ts';
import { shopHeaders } from './shop-of-page.tsx';

const url = '/api/trpc';
/** The server refuses larger batches. */
const maxItems = 30;

/** For the demo bar's own reads, which are not affected by the faults it injects into the page's requests. */
export const onRealNetwork = { context: { onRealNetwork: true } } as const;

/** For calls that may be slow: in a batch the slowest one would delay the others. */
export const unbatched = { context: { unbatched: true } } as const;

/** An idempotent call has its key in the context and is not batched, because a batch has one header for all calls. */
export const api = createTRPCClient<AppRouter>({
  links: [
    splitLink({
      condition: (operation) => typeof operation.context.idempotencyKey === 'string',
      true: httpLink({
        url,
        headers: ({ op }) => ({ 'Idempotency-Key': String(op.context.idempotencyKey) }),
        fetch: pageFetch,
      }),
      false: splitLink({
        condition: (operation) => operation.type === 'subscription',
        true: httpSubscriptionLink({ url }),
        false: splitLink({
          condition: (operation) => operation.context.onRealNetwork === true,
          true: httpBatchLink({ url, maxItems }),
          false: splitLink({
            condition: (operation) => operation.context.unbatched === true,
            true: httpLink({ url, fetch: pageFetch, headers: shopHeaders }),
            false: httpBatchLink({ url, maxItems, fetch: pageFetch, headers: shopHeaders }),
          }),
        }),
      }),
    }),
  ],
});
