import { createTRPCClient, httpBatchLink, httpLink, httpSubscriptionLink, splitLink } from '@trpc/client';
import type { AppRouter } from '#server/trpc/root.ts';
import { wire } from './transport.ts';

const url = '/api/trpc';
/** As many as the server takes at once. */
const maxItems = 30;

/** For the demo bar's own questions: it looks on from outside, while the page it watches is cut off. */
export const aside = { context: { aside: true } } as const;

/** For calls of which each may take its time: in one batch the slowest would hold up the others. */
export const alone = { context: { alone: true } } as const;

/** An idempotent call names its key in the context and travels alone: a batch would smear one header over several. */
export const api = createTRPCClient<AppRouter>({
  links: [
    splitLink({
      condition: (operation) => typeof operation.context.idempotencyKey === 'string',
      true: httpLink({
        url,
        headers: ({ op }) => ({ 'Idempotency-Key': String(op.context.idempotencyKey) }),
        fetch: wire,
      }),
      false: splitLink({
        condition: (operation) => operation.type === 'subscription',
        true: httpSubscriptionLink({ url }),
        false: splitLink({
          condition: (operation) => operation.context.aside === true,
          true: httpBatchLink({ url, maxItems }),
          false: splitLink({
            condition: (operation) => operation.context.alone === true,
            true: httpLink({ url, fetch: wire }),
            false: httpBatchLink({ url, maxItems, fetch: wire }),
          }),
        }),
      }),
    }),
  ],
});
