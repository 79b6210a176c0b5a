'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { OperationStatus } from '#ui/admin/status-badge.tsx';
import { ReconcileButton } from '../reconcile-button.tsx';

export function ReconcileHere({ operationId, status }: { operationId: string; status: OperationStatus }) {
  const router = useRouter();
  const [asked, setAsked] = useState(false);
  if (status !== 'unknown' && !asked) return null;
  return (
    <ReconcileButton
      operationId={operationId}
      done={status !== 'unknown'}
      onFound={() => {
        setAsked(true);
        router.refresh();
      }}
    />
  );
}
