'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { api } from '#app/trpc/client.ts';
import { Button } from '#ui/button.tsx';

/** Has the worker process the event again. Safe to repeat: it writes only what the provider proves. */
export function ReprocessButton({ id }: { id: string }) {
  const router = useRouter();
  const [state, setState] = useState<'idle' | 'busy' | 'sent' | 'failed'>('idle');

  async function reprocess() {
    setState('busy');
    try {
      await api.inbox.reprocess.mutate({ id });
      setState('sent');
      router.refresh();
    } catch {
      setState('failed');
    }
  }

  return (
    <>
      <Button tone="quiet" size="small" busy={state === 'busy'} onClick={reprocess} className="-my-2 -ml-3.5">
        Look again
      </Button>
      <span role="status" className="ml-2 text-ink-faint text-xs">
        {state === 'sent' && 'Being looked into'}
        {state === 'failed' && 'That did not arrive'}
      </span>
    </>
  );
}
