'use client';

import { useState } from 'react';
import { useConfirmedAction } from '#app/(admin)/admin/use-confirmed-action.tsx';
import { api } from '#app/trpc/client.ts';
import { Confirm } from '#ui/admin/confirm.tsx';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';

export function InvitationActions(props: { id: string; email: string; secondFactor: boolean }) {
  const { id, email } = props;
  const { busy, failure, run, confirmation } = useConfirmedAction(props);
  const [again, setAgain] = useState(false);
  return (
    <div>
      <div className="-ml-3.5 flex flex-wrap items-center gap-1 sm:ml-0 sm:justify-end">
        <Button
          tone="quiet"
          size="small"
          aria-label={`Send again, the invitation to ${email}`}
          busy={busy}
          onClick={() => {
            setAgain(false);
            void run(
              () => api.people.resendInvitation.mutate({ id }),
              () => setAgain(true),
            );
          }}
        >
          Send again
        </Button>
        <Confirm
          action="Revoke"
          label={`Revoke the invitation to ${email}`}
          question="The link in the e-mail stops working."
          yes="Yes, revoke"
          busy={busy}
          onYes={() => run(() => api.people.revokeInvitation.mutate({ id }))}
        />
      </div>
      {failure && <InlineError>{failure}</InlineError>}
      <p role="status" className="text-ok text-sm empty:hidden sm:text-right">
        {again && 'Sent again; the earlier link no longer works.'}
      </p>
      {confirmation}
    </div>
  );
}
