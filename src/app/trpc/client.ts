import { createTRPCClient, httpBatchLink, httpLink, httpSubscriptionLink, splitLink } from '@trpc/client';
import type { AppRouter } from '#server/trpc/root.ts';

const url = '/api/trpc';

/** An idempotent call names its key in the context and travels alone: a batch would smear one header over several. */
export const api = createTRPCClient<AppRouter>({
  links: [
    splitLink({
      condition: (operation) => typeof operation.context.idempotencyKey === 'string',
      true: httpLink({
        url,
        headers: ({ op }) => ({ 'Idempotency-Key': String(op.context.idempotencyKey) }),
      }),
      false: splitLink({
        condition: (operation) => operation.type === 'subscription',
        true: httpSubscriptionLink({ url }),
        false: httpBatchLink({ url }),
      }),
    }),
  ],
});
