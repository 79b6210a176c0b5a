'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { EmptyOperations } from '#ui/admin/empty-operations.tsx';
import { type OperationRow, OperationRows } from '#ui/admin/operation-rows.tsx';
import type { OperationStatus } from '#ui/admin/status-badge.tsx';
import { ReconcileButton } from './reconcile-button.tsx';
import { keepInPlace, type Reconciled, statusAfter } from './reconciled.ts';

/**
 * A reconciled operation leaves the list it was in. Its row stays where it was until the operator goes elsewhere: what
 * was found is read in place, and nothing moves under the pointer.
 */
export function OperationTable(props: {
  operations: readonly OperationRow[];
  status: OperationStatus | 'all';
  now: number;
  full: boolean;
}) {
  const router = useRouter();
  const [kept, setKept] = useState<ReadonlyMap<string, { row: OperationRow; index: number }>>(new Map());
  const rows = keepInPlace(props.operations, kept);

  function onFound(row: OperationRow, found: Reconciled) {
    const index = rows.findIndex(({ id }) => id === row.id);
    const after = { ...row, status: statusAfter(row.status, found) };
    setKept((before) => new Map(before).set(row.id, { row: after, index }));
    router.refresh();
  }

  if (rows.length === 0) return <EmptyOperations status={props.status} />;
  return (
    <>
      <OperationRows
        rows={rows}
        now={props.now}
        action={(row) =>
          (row.status === 'unknown' || kept.has(row.id)) && (
            <ReconcileButton
              operationId={row.id}
              done={row.status !== 'unknown'}
              onFound={(found) => onFound(row, found)}
            />
          )
        }
      />
      {props.full && (
        <p className="mt-4 text-ink-faint text-sm">
          These are the newest {props.operations.length}; there may be more.
        </p>
      )}
    </>
  );
}
