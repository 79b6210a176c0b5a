'use client';

import { useState } from 'react';
import { ReconcileButton } from '../operations/reconcile-button.tsx';
import { statusAfter } from '../operations/reconciled.ts';

/** What was found stays beside what it was found about; the queue is read anew when the operator comes back to it. */
export function ReconcileQueued(props: { operationId: string; operation: string }) {
  const [done, setDone] = useState(false);
  return (
    <ReconcileButton
      {...props}
      done={done}
      onFound={(found) => setDone(statusAfter('unknown', found) !== 'unknown')}
    />
  );
}
