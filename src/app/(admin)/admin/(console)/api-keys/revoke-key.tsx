'use client';

import { useCommand } from '#app/(admin)/admin/use-command.ts';
import { useTRPC } from '#app/trpc/provider.tsx';
import { Confirm } from '#ui/admin/confirm.tsx';
import { InlineError } from '#ui/notice.tsx';

export function RevokeKey({ id, name }: { id: string; name: string }) {
  const { busy, failure, run } = useCommand(useTRPC().apiKeys.revoke.mutationOptions());
  return (
    <div className="-ml-3.5 sm:ml-0">
      <Confirm
        action="Revoke"
        label={`Revoke the key ${name}`}
        question="Programs with this key are refused from now on. Payments that they have started continue."
        yes="Yes, revoke"
        busy={busy}
        onYes={() => run({ id })}
      />
      {failure && <InlineError>{failure}</InlineError>}
    </div>
  );
}
