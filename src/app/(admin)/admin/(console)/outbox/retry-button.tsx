'use client';

import { useCommand } from '#app/(admin)/admin/use-command.ts';
import { useTRPC } from '#app/trpc/provider.tsx';
import { Button } from '#ui/button.tsx';

/** Sends a message again after its retries were used up, with the same id, so that a receiver can detect a duplicate. */
export function RetryButton({ kind, id }: { kind: 'email' | 'delivery'; id: string }) {
  const trpc = useTRPC();
  const email = useCommand(trpc.outbox.retryEmail.mutationOptions());
  const delivery = useCommand(trpc.outbox.retryDelivery.mutationOptions());
  const { busy, failure, run } = kind === 'email' ? email : delivery;

  return (
    <>
      <Button tone="quiet" size="small" busy={busy} onClick={() => run({ id })} className="-my-2 -ml-3.5">
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
