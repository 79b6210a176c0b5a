import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { LostResult, SendResult, StatusResult, SubmissionTransport } from '#idempotency/react.ts';
import type { RouterInputs } from '#server/trpc/outputs.ts';
import { inTime } from './in-time.ts';
import { type PayResult, sendResultOf, statusResultOf } from './pay-results.ts';
import { useTRPC, useTRPCClient } from './provider.tsx';
import { sendResultOfError } from './send-result-of-error.ts';
import { useLiveSubscription } from './use-live-subscription.ts';

export type PayCommand = Omit<RouterInputs['payments']['pay'], 'orderId'>;
export type { PayResult } from './pay-results.ts';

/**
 * How the payment of an order is sent and its status read. The mutation is TanStack Query's; whether it is sent again, and
 * under which key, is decided by the submission and never by the library.
 */
export function usePayTransport(orderId: string): SubmissionTransport<PayCommand, PayResult> {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const { mutateAsync } = useMutation({
    mutationKey: trpc.payments.pay.mutationKey(),
    mutationFn: ({ command, key }: { command: PayCommand; key: string }) =>
      inTime((signal) =>
        client.payments.pay.mutate({ orderId, ...command }, { context: { idempotencyKey: key }, signal }),
      ),
    retry: false,
    networkMode: 'always',
  });

  return {
    async send(command, key): Promise<SendResult<PayResult>> {
      const wasOffline = isOffline();
      try {
        return sendResultOf(await mutateAsync({ command, key }));
      } catch (error) {
        const result = sendResultOfError(error);
        return result.kind === 'lost' ? lost(wasOffline) : result;
      }
    },
    async readStatus(key): Promise<StatusResult<PayResult>> {
      const wasOffline = isOffline();
      try {
        // Not through TanStack Query, which would join a read that never ends.
        return statusResultOf(
          await inTime((signal) => client.payments.status.query({ orderId, key }, { signal })),
        );
      } catch {
        return lost(wasOffline);
      }
    },
    watch: useStatusStream(orderId),
  };
}

/** The status of the key that the submission watches, pushed by the server. The submission watches one at a time. */
function useStatusStream(orderId: string): NonNullable<SubmissionTransport<PayCommand, PayResult>['watch']> {
  const [key, setKey] = useState<string>();
  const listener = useRef<(status: StatusResult<PayResult>) => void>(undefined);
  useLiveSubscription(
    useTRPC().payments.watch.subscriptionOptions(
      { orderId, key: key ?? '' },
      { enabled: key !== undefined, onData: (view) => listener.current?.(statusResultOf(view)) },
    ),
  );
  return (watched, onStatus) => {
    listener.current = onStatus;
    setKey(watched);
    return () => {
      listener.current = undefined;
      setKey(undefined);
    };
  };
}

/** Called when the shopper's bank has sent them back: the server checks the outcome with the provider at once. */
export function useReportReturn(orderId: string): (key: string) => Promise<void> {
  const client = useTRPCClient();
  // If this request is lost, the page still reads the status and the poller resolves the operation, only later.
  return (key) =>
    inTime((signal) => client.payments.returned.mutate({ orderId, key }, { signal })).then(
      () => undefined,
      () => undefined,
    );
}

/**
 * Has the provider cancel a payment that waits for the shopper at their bank. What became of it is for the submission to
 * read: the bank may have been faster.
 */
export function useCancelPayment(orderId: string, key: string | undefined, onEnd: () => void) {
  const client = useTRPCClient();
  const { mutate, reset, isPending, isError, data, variables } = useMutation({
    mutationKey: useTRPC().payments.cancelPayment.mutationKey(),
    mutationFn: (cancelled: string) =>
      inTime((signal) => client.payments.cancelPayment.mutate({ orderId, key: cancelled }, { signal })),
    onSettled: onEnd,
  });
  return {
    cancelling: isPending,
    /** Cancelling the payment under the current key got no response, or was not possible at that moment. */
    failed: variables === key && (isError || data?.cancelled === false),
    cancel: () => {
      if (!isPending && key !== undefined) mutate(key);
    },
    /** Called when the shopper pays, perhaps under the same key. */
    forget: reset,
  };
}

/** A browser that says it is offline has no network at all. That it says it is online means nothing. */
function isOffline(): boolean {
  return navigator.onLine === false;
}

/** A request that failed while there was no network, before and after, has not left the device. */
function lost(wasOffline: boolean): LostResult {
  return wasOffline && isOffline() ? { kind: 'lost', neverLeft: true } : { kind: 'lost' };
}
