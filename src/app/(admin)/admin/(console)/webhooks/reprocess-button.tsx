'use client';

import { useCommand } from '#app/(admin)/admin/use-command.ts';
import { useTRPC } from '#app/trpc/provider.tsx';
import { Button } from '#ui/button.tsx';

/** Has the worker process the event again. Safe to repeat: it writes only what the provider proves. */
export function ReprocessButton({ id }: { id: string }) {
  const { busy, failure, done, run } = useCommand(useTRPC().inbox.reprocess.mutationOptions());

  return (
    <>
      <Button tone="quiet" size="small" busy={busy} onClick={() => run({ id })} className="-my-2 -ml-3.5">
        Process again
      </Button>
      <span role="status" className="ml-2 text-ink-faint text-xs">
        {done && 'Processing…'}
        {failure}
      </span>
    </>
  );
}
