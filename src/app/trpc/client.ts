import { createTRPCClient, httpBatchLink, httpLink, httpSubscriptionLink, splitLink } from '@trpc/client';
import type { AppRouter } from '#server/trpc/root.ts';
import { transport } from './transport.ts';

const url = '/api/trpc';
/** The server's limit for a batch. */
const maxItems = 30;

/** For the demo bar's own reads: they use the real network while the page's is cut. */
export const aside = { context: { aside: true } } as const;

/** For calls that may be slow: in one batch the slowest would delay the others. */
export const alone = { context: { alone: true } } as const;

/** An idempotent call has its key in the context and is sent alone: a batch has one header for several calls. */
export const api = createTRPCClient<AppRouter>({
  links: [
    splitLink({
      condition: (operation) => typeof operation.context.idempotencyKey === 'string',
      true: httpLink({
        url,
        headers: ({ op }) => ({ 'Idempotency-Key': String(op.context.idempotencyKey) }),
        fetch: transport,
      }),
      false: splitLink({
        condition: (operation) => operation.type === 'subscription',
        true: httpSubscriptionLink({ url }),
        false: splitLink({
          condition: (operation) => operation.context.aside === true,
          true: httpBatchLink({ url, maxItems }),
          false: splitLink({
            condition: (operation) => operation.context.alone === true,
            true: httpLink({ url, fetch: transport }),
            false: httpBatchLink({ url, maxItems, fetch: transport }),
          }),
        }),
      }),
    }),
  ],
});
