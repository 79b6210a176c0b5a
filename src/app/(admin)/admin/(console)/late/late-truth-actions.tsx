'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { api } from '../../../../trpc/client.ts';

/** Send the money back, or keep it. Refunding twice is impossible, so there is nothing to confirm twice. */
export function LateTruthActions({ id, amount }: { id: string; amount: string }) {
  const router = useRouter();
  const [busy, setBusy] = useState<'refund' | 'keep'>();
  const [told, setTold] = useState<string>();

  async function act(what: 'refund' | 'keep') {
    setBusy(what);
    setTold(undefined);
    try {
      if (what === 'keep') await api.lateTruths.dismiss.mutate({ id });
      else {
        const result = await api.lateTruths.refund.mutate({ id });
        if (result.kind === 'not_yet') {
          setTold('The provider has not confirmed the refund yet; asking again is safe.');
        }
      }
      router.refresh();
    } catch (error) {
      setTold(error instanceof Error ? error.message : 'The server did not answer.');
    } finally {
      setBusy(undefined);
    }
  }

  return (
    <div className="flex flex-wrap gap-2">
      <Button busy={busy === 'refund'} disabled={busy !== undefined} onClick={() => act('refund')}>
        Refund {amount}
      </Button>
      <Button tone="quiet" busy={busy === 'keep'} disabled={busy !== undefined} onClick={() => act('keep')}>
        Keep it
      </Button>
      {told && (
        <p role="status" className="w-full text-ink-soft text-xs">
          {told}
        </p>
      )}
    </div>
  );
}
