'use client';

import { QueryClient, useMutation } from '@tanstack/react-query';
import { TRPCClientError } from '@trpc/client';
import { createTRPCContext } from '@trpc/tanstack-react-query';
import { type SendResult, type StatusResult, useIdempotentMutation } from '../react.ts';
import type { ShippingRouter } from './sample-app.ts';

// The samples of the engine's README about React; `readme.test.ts` compares the two.

const { useTRPC, useTRPCClient } = createTRPCContext<ShippingRouter>();

const queryClient = new QueryClient({
  defaultOptions: { mutations: { retry: false, networkMode: 'always' } },
});

interface Command {
  readonly item: string;
}
interface Label {
  readonly label: string;
}

function useShipment(orderId: string) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const { mutateAsync } = useMutation({
    mutationKey: trpc.ship.mutationKey(),
    mutationFn: ({ command, key }: { command: Command; key: string }) =>
      client.ship.mutate(command, { context: { idempotencyKey: key } }),
    retry: false, // the submission decides whether it is sent again, and under which key
    networkMode: 'always', // a browser that says it is offline may be wrong
  });

  return useIdempotentMutation<Command, Label>({
    scope: `order.${orderId}`,
    async send(command, key): Promise<SendResult<Label>> {
      try {
        const result = await mutateAsync({ command, key });
        if ('label' in result) return { kind: 'completed', result };
        return { kind: 'pending', operationId: result.operationId };
      } catch (error) {
        return sendResultOf(error);
      }
    },
    async readStatus(key): Promise<StatusResult<Label>> {
      const view = await client.status.query({ key }).catch(() => undefined);
      if (!view) return { kind: 'lost' };
      switch (view.status) {
        case 'completed':
          return view.result ? { kind: 'completed', result: view.result } : { kind: 'expired' };
        case 'failed_retryable':
          return { kind: 'released' };
        case 'unknown':
          return { kind: 'unknown', operationId: view.operationId };
        default:
          return { kind: view.status };
      }
    },
  });
}

/** Only a response of the server says that nothing happened; everything else may have arrived. */
function sendResultOf(error: unknown): SendResult<never> {
  const data = error instanceof TRPCClientError ? (error as TRPCClientError<ShippingRouter>).data : undefined;
  if (!data) return { kind: 'lost' };
  if (data.problem === 'idempotency_key_in_progress') return { kind: 'in_progress', retryAfterMs: 1_000 };
  if (data.httpStatus >= 500) return { kind: 'unavailable', retryAfterMs: 2_000 };
  const code = data.problem ?? data.code;
  const keyUsable = !['idempotency_key_reused', 'idempotency_key_expired'].includes(code);
  const { message } = error as Error;
  return { kind: 'refused', problem: { code, message, keyUsable, extensions: {} } };
}

function ShipButton({ orderId, item }: { orderId: string; item: string }) {
  const { state, submit } = useShipment(orderId);
  if (state.kind === 'done') return <p>Shipped: {state.result.label}</p>;
  if (state.kind === 'checking') return <p>The carrier is being asked. Do not ship it again.</p>;
  if (state.kind === 'refused') return <p role="alert">{state.problem.message}</p>;
  // It ended so long ago that its result is gone. Another submit would ship it again, under a new key.
  if (state.kind === 'ready' && state.keySpent) return <p>It was tried before: see the order.</p>;
  return (
    <button type="button" onClick={() => submit({ item })}>
      {state.kind === 'ready' || state.kind === 'gave_up' ? 'Ship' : 'Shipping…'}
    </button>
  );
}

/** What the README has no room for. */
export const sampleForm = { queryClient, ShipButton };
