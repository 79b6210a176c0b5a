'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { api } from '#app/trpc/client.ts';

/** Has the worker look again. As often as one likes: it asks the provider and writes only what is true. */
export function ReprocessButton({ id }: { id: string }) {
  const router = useRouter();
  const [state, setState] = useState<'idle' | 'busy' | 'asked' | 'failed'>('idle');

  async function look() {
    setState('busy');
    try {
      await api.inbox.reprocess.mutate({ id });
      setState('asked');
      router.refresh();
    } catch {
      setState('failed');
    }
  }

  return (
    <>
      <Button tone="quiet" size="small" busy={state === 'busy'} onClick={look} className="-my-2 -ml-3.5">
        Look again
      </Button>
      <span role="status" className="ml-2 text-ink-faint text-xs">
        {state === 'asked' && 'Being looked into'}
        {state === 'failed' && 'That did not arrive'}
      </span>
    </>
  );
}
