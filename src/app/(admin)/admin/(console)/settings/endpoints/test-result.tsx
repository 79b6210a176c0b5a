'use client';

import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { errorMessage } from '#app/trpc/error-message.ts';
import { useTRPC } from '#app/trpc/provider.tsx';
import { When } from '#ui/admin/when.tsx';
import { Notice } from '#ui/notice.tsx';
import { answerCopy, type Delivery } from './event-copy.ts';

/** A person waits for the result, which takes ten seconds at most once a worker has begun. */
const pollMs = 500;

/** How a test went: the worker sends it, and this page asks until it has. */
export function TestResult({ id, onEnd }: { id: string; onEnd: () => Promise<void> }) {
  const { data, error } = useQuery({
    ...useTRPC().webhookEndpoints.delivery.queryOptions({ id }),
    refetchInterval: ({ state }) => (state.data && state.data.status !== 'queued' ? false : pollMs),
  });
  const ended = data !== undefined && data.status !== 'queued';
  // biome-ignore lint/correctness/useExhaustiveDependencies: the endpoint is read again once, when the test has ended
  useEffect(() => {
    if (ended) void onEnd();
  }, [ended]);
  return (
    <div role="status" className="mt-4">
      {error && !ended ? (
        <Notice tone="warn" title="The result could not be read yet.">
          {errorMessage(error)} This page keeps asking.
        </Notice>
      ) : (
        <Result delivery={data} />
      )}
    </div>
  );
}

function Result({ delivery }: { delivery: Delivery | undefined }) {
  if (!delivery || delivery.status === 'queued') {
    return (
      <Notice tone="busy" title="Sending a test…">
        The server at this address has ten seconds to answer.
      </Notice>
    );
  }
  const at = delivery.lastAttemptAt && <When at={delivery.lastAttemptAt} precise />;
  switch (delivery.status) {
    case 'delivered':
      return (
        <Notice tone="ok" title={`The test arrived: ${answerCopy(delivery)}.`}>
          {at}
        </Notice>
      );
    case 'failed':
      return (
        <Notice tone="danger" title={`The test failed: ${answerCopy(delivery) ?? 'it was not sent'}.`}>
          <p>
            {delivery.lastStatus === null
              ? delivery.lastError
              : 'A message counts as delivered when the answer has a status from 200 to 299.'}
          </p>
          <p>{at}</p>
        </Notice>
      );
    case 'cancelled':
      return (
        <Notice tone="plain" title="The test was not sent.">
          {delivery.lastError}
        </Notice>
      );
  }
}
