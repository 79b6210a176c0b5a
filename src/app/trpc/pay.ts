import type { Asked, Sent } from '#idempotency/react.ts';
import { api } from './client.ts';
import { keepSubscribed } from './keep-subscribed.ts';
import { sentOfError } from './sent-of-error.ts';

type PayInput = Parameters<typeof api.payments.pay.mutate>[0];
export type PayCommand = Omit<PayInput, 'orderId'>;
export type PayAnswer = Exclude<Awaited<ReturnType<typeof api.payments.pay.mutate>>, { status: 'pending' }>;

export async function sendPayment(
  orderId: string,
  command: PayCommand,
  key: string,
): Promise<Sent<PayAnswer>> {
  try {
    const result = await api.payments.pay.mutate(
      { orderId, ...command },
      { context: { idempotencyKey: key } },
    );
    if (result.status === 'pending') return { kind: 'pending', operationId: result.operationId };
    return { kind: 'answered', answer: result };
  } catch (error) {
    return sentOfError(error);
  }
}

export async function askPayment(orderId: string, key: string): Promise<Asked<PayAnswer>> {
  try {
    return askedOf(await api.payments.attempt.query({ orderId, key }));
  } catch {
    return { kind: 'lost' };
  }
}

/** The same, told by the server as it happens. */
export function watchPayment(
  orderId: string,
  key: string,
  told: (asked: Asked<PayAnswer>) => void,
): () => void {
  return keepSubscribed((onError) =>
    api.payments.watch.subscribe({ orderId, key }, { onData: (view) => told(askedOf(view)), onError }),
  );
}

type AttemptView = Awaited<ReturnType<typeof api.payments.attempt.query>>;

function askedOf(attempt: AttemptView): Asked<PayAnswer> {
  switch (attempt.status) {
    case 'none':
      return { kind: 'none' };
    case 'in_progress':
      return { kind: 'running' };
    case 'unknown':
      return {
        kind: 'unknown',
        operationId: attempt.operationId,
        actionUrl: attempt.actionUrl ?? undefined,
      };
    case 'completed':
      return attempt.answer ? { kind: 'answered', answer: attempt.answer } : { kind: 'over' };
    case 'failed_retryable':
      return { kind: 'released' };
    case 'expired':
      return { kind: 'over' };
  }
}

/** After the shopper's bank sent them back: has the server look at once what it decided. */
export async function tellReturned(orderId: string, key: string): Promise<void> {
  // If this is lost, the page goes on asking and the poller finds out: nothing depends on it but speed.
  await api.payments.returned.mutate({ orderId, key }).catch(() => undefined);
}
