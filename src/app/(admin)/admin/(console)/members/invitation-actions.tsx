'use client';

import { useConfirmedCommand } from '#app/(admin)/admin/use-confirmed-command.tsx';
import { useTRPC } from '#app/trpc/provider.tsx';
import { Confirm } from '#ui/admin/confirm.tsx';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';

export function InvitationActions(props: { id: string; email: string; secondFactor: boolean }) {
  const { id, email } = props;
  const trpc = useTRPC().people;
  const resend = useConfirmedCommand(props, trpc.resendInvitation.mutationOptions());
  const revoke = useConfirmedCommand(props, trpc.revokeInvitation.mutationOptions());
  const busy = resend.busy || revoke.busy;
  const failure = resend.failure ?? revoke.failure;
  return (
    <div>
      <div className="-ml-3.5 flex flex-wrap items-center gap-1 sm:ml-0 sm:justify-end">
        <Button
          tone="quiet"
          size="small"
          aria-label={`Send again, the invitation to ${email}`}
          busy={busy}
          onClick={() => resend.run({ id })}
        >
          Send again
        </Button>
        <Confirm
          action="Revoke"
          label={`Revoke the invitation to ${email}`}
          question="The link in the e-mail stops working."
          yes="Yes, revoke"
          busy={busy}
          onYes={() => revoke.run({ id })}
        />
      </div>
      {failure && <InlineError>{failure}</InlineError>}
      <p role="status" className="text-ok text-sm empty:hidden sm:text-right">
        {resend.done && 'Sent again; the earlier link no longer works.'}
      </p>
      {resend.confirmation}
      {revoke.confirmation}
    </div>
  );
}
