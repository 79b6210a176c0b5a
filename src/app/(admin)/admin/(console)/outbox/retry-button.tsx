'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { api } from '#app/trpc/client.ts';
import { Button } from '#ui/button.tsx';

/** Sends a message again that was given up on: with the same id, so a receiver can detect a duplicate. */
export function RetryButton({ kind, id }: { kind: 'email' | 'delivery'; id: string }) {
  const router = useRouter();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();

  async function retry() {
    setBusy(true);
    setFailure(undefined);
    try {
      await (kind === 'email' ? api.outbox.retryEmail : api.outbox.retryDelivery).mutate({ id });
      router.refresh();
    } catch (error) {
      setFailure(error instanceof Error ? error.message : 'The server did not answer.');
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <Button tone="quiet" size="small" busy={busy} onClick={retry} className="-my-2 -ml-3.5">
        Send again
      </Button>
      {failure && (
        <p role="alert" className="mt-1 text-danger text-xs">
          {failure}
        </p>
      )}
    </>
  );
}
