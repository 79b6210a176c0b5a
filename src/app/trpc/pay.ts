import type { SendResult, StatusResult } from '#idempotency/react.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { api } from './client.ts';
import { keepSubscribed } from './keep-subscribed.ts';
import { sendResultOfError } from './send-result-of-error.ts';

type PayInput = Parameters<typeof api.payments.pay.mutate>[0];
export type PayCommand = Omit<PayInput, 'orderId'>;
export type PayResult = Exclude<RouterOutputs['payments']['pay'], { status: 'pending' }>;

export async function sendPayment(
  orderId: string,
  command: PayCommand,
  key: string,
): Promise<SendResult<PayResult>> {
  try {
    const result = await api.payments.pay.mutate(
      { orderId, ...command },
      { context: { idempotencyKey: key } },
    );
    if (result.status === 'pending') return { kind: 'pending', operationId: result.operationId };
    return { kind: 'completed', result };
  } catch (error) {
    return sendResultOfError(error);
  }
}

export async function readPaymentStatus(orderId: string, key: string): Promise<StatusResult<PayResult>> {
  try {
    return statusResultOf(await api.payments.attempt.query({ orderId, key }));
  } catch {
    return { kind: 'lost' };
  }
}

/** Reports the status at every change. */
export function watchPayment(
  orderId: string,
  key: string,
  onStatus: (status: StatusResult<PayResult>) => void,
): () => void {
  return keepSubscribed((onError) =>
    api.payments.watch.subscribe(
      { orderId, key },
      { onData: (view) => onStatus(statusResultOf(view)), onError },
    ),
  );
}

type StatusView = RouterOutputs['payments']['attempt'];

function statusResultOf(view: StatusView): StatusResult<PayResult> {
  switch (view.status) {
    case 'none':
      return { kind: 'none' };
    case 'in_progress':
      return { kind: 'in_progress' };
    case 'unknown':
      return {
        kind: 'unknown',
        operationId: view.operationId,
        actionUrl: view.actionUrl ?? undefined,
      };
    case 'completed':
      // The response may be deleted before the record expires.
      return view.answer ? { kind: 'completed', result: view.answer } : { kind: 'expired' };
    case 'failed_retryable':
      return { kind: 'released' };
    case 'expired':
      return { kind: 'expired' };
  }
}

/** Called when the shopper's bank has sent them back: the server checks the outcome with the provider at once. */
export async function reportReturn(orderId: string, key: string): Promise<void> {
  // If this request is lost, the page still reads the status and the poller resolves the operation, only later.
  await api.payments.returned.mutate({ orderId, key }).catch(() => undefined);
}
