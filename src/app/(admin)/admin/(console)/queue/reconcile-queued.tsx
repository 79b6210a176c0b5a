'use client';

import { useState } from 'react';
import { ReconcileButton } from '../operations/reconcile-button.tsx';
import { statusAfter } from '../operations/result-notice.ts';

/** The result stays beside its operation; the queue is read again when the operator opens it again. */
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
