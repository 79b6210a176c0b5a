'use client';

import { useState } from 'react';
import { Confirm } from '#ui/admin/confirm.tsx';
import { Button } from '#ui/button.tsx';
import { Mishap } from '#ui/notice.tsx';
import { api } from '#app/trpc/client.ts';
import { useAction } from '#app/(admin)/admin/use-action.ts';

export function InvitationActions({ id, email }: { id: string; email: string }) {
  const { busy, failure, run } = useAction();
  const [again, setAgain] = useState(false);
  return (
    <div>
      <div className="-ml-3.5 flex flex-wrap items-center gap-1 sm:ml-0 sm:justify-end">
        <Button
          tone="quiet"
          size="small"
          aria-label={`Send again, the invitation to ${email}`}
          busy={busy}
          onClick={async () =>
            setAgain((await run(() => api.people.resendInvitation.mutate({ id }))) !== undefined)
          }
        >
          Send again
        </Button>
        <Confirm
          word="Revoke"
          label={`Revoke the invitation to ${email}`}
          question="The link in the e-mail stops working."
          yes="Yes, revoke"
          busy={busy}
          onYes={() => run(() => api.people.revokeInvitation.mutate({ id }))}
        />
      </div>
      {failure && <Mishap>{failure}</Mishap>}
      <p role="status" className="text-ok text-sm empty:hidden sm:text-right">
        {again && 'Sent again; the earlier link no longer works.'}
      </p>
    </div>
  );
}
