'use client';

import { useAction } from '#app/(admin)/admin/use-action.ts';
import { api } from '#app/trpc/client.ts';
import { Confirm } from '#ui/admin/confirm.tsx';
import { InlineError } from '#ui/notice.tsx';

export function RevokeKey({ id, name }: { id: string; name: string }) {
  const { busy, failure, run } = useAction();
  return (
    <div className="-ml-3.5 sm:ml-0">
      <Confirm
        action="Revoke"
        label={`Revoke the key ${name}`}
        question="Programs with this key are refused from now on. What they started is carried through."
        yes="Yes, revoke"
        busy={busy}
        onYes={() => run(() => api.apiKeys.revoke.mutate({ id }))}
      />
      {failure && <InlineError>{failure}</InlineError>}
    </div>
  );
}
