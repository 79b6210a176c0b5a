'use client';

import { useState } from 'react';
import { api } from '#app/trpc/client.ts';
import { Button } from '#ui/button.tsx';
import { Notice } from '#ui/notice.tsx';
import { refusedFinding } from './bulk-copy.ts';
import { type Finding, findingOf, type Reconciled } from './reconciled.ts';

/** `done` hides the button once the operation is resolved; the result stays. */
export function ReconcileButton(props: {
  operationId: string;
  /** Its kind. */
  operation: string;
  done: boolean;
  onFound: (found: Reconciled) => void;
}) {
  const [busy, setBusy] = useState(false);
  const [finding, setFinding] = useState<Finding>();

  async function reconcile() {
    if (busy) return;
    setBusy(true);
    setFinding(undefined);
    try {
      const found = await api.operation.reconcile.mutate({ operationId: props.operationId });
      setFinding(findingOf(found, props.operation));
      props.onFound(found);
    } catch (error) {
      setFinding(refusedFinding(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <div className="grid gap-2">
      {!props.done && (
        <Button tone="secondary" size="small" busy={busy} onClick={reconcile} className="justify-self-start">
          Reconcile now
        </Button>
      )}
      <div role="status" className="empty:hidden">
        {finding && (
          <Notice tone={finding.tone} title={finding.title} className="max-w-md">
            {finding.body}
          </Notice>
        )}
      </div>
    </div>
  );
}
