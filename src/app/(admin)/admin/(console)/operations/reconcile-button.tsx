'use client';

import { useMutation } from '@tanstack/react-query';
import { unbatched } from '#app/trpc/client.ts';
import { useTRPC } from '#app/trpc/provider.tsx';
import { Button } from '#ui/button.tsx';
import { Notice } from '#ui/notice.tsx';
import { errorNotice } from './bulk-copy.ts';
import { noticeOf, type Reconciled } from './result-notice.ts';

/** `done` hides the button once the operation is resolved; the result stays. */
export function ReconcileButton(props: {
  operationId: string;
  /** Its kind. */
  operation: string;
  done: boolean;
  onFound: (found: Reconciled) => void;
}) {
  const reconciling = useMutation(
    useTRPC().operation.reconcile.mutationOptions({ trpc: unbatched, onSuccess: props.onFound }),
  );
  const { data, error, isPending: busy } = reconciling;
  // A second click would find nothing to do, and its result would replace this one.
  const isResolved = data !== undefined && data.kind !== 'still_unknown';
  const notice = data ? noticeOf(data, props.operation) : error ? errorNotice(error) : undefined;

  return (
    <div className="grid gap-2">
      {!props.done && !isResolved && (
        <Button
          tone="secondary"
          size="small"
          busy={busy}
          onClick={() => !busy && reconciling.mutate({ operationId: props.operationId })}
          className="justify-self-start"
        >
          Reconcile now
        </Button>
      )}
      <div role="status" className="empty:hidden">
        {notice && (
          <Notice tone={notice.tone} title={notice.title} className="max-w-md">
            {notice.body}
          </Notice>
        )}
      </div>
    </div>
  );
}
