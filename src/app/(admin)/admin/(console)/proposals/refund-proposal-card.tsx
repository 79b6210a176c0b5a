'use client';

import { useCommand } from '#app/(admin)/admin/use-command.ts';
import { useTRPC } from '#app/trpc/provider.tsx';
import { formatMoney } from '#payments/money.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { proposalCopy } from '#ui/admin/assertion-copy.ts';
import { ConsoleLink } from '#ui/admin/console-link.tsx';
import { ReasonDialog } from '#ui/admin/reason-dialog.tsx';
import { When } from '#ui/admin/when.tsx';
import { Notice } from '#ui/notice.tsx';
import type { Member } from '../operations/[id]/operation.ts';
import type { ResultNotice } from '../operations/result-notice.ts';
import { refundNotice } from '../payments/[id]/refund-copy.ts';
import { MayApproveLater, ProposalDecision, ProposalFrame, ProposalReason } from './proposal-frame.tsx';

export type RefundProposal = RouterOutputs['refunds']['proposals']['open'][number];
type Decided = RouterOutputs['refunds']['approve'] | RouterOutputs['refunds']['close'];

/** A refund above the shop's limit: what the second person needs to decide, and later readers to understand it. */
export function RefundProposalCard(props: {
  proposal: RefundProposal;
  member: Pick<Member, 'userId' | 'role' | 'approvesFrom'>;
  link?: boolean;
  age?: string;
}) {
  const { proposal, member } = props;
  const title = (
    <>
      Refund, <span className="money">{formatMoney(proposal.amount)}</span>
    </>
  );
  return (
    <ProposalFrame proposal={proposal} title={title} age={props.age}>
      {props.link && (
        <p className="mt-1">
          <ConsoleLink href={`/admin/payments/${proposal.paymentId}`} mono>
            {proposal.reference}
          </ConsoleLink>
          <span className="text-ink-soft">
            , paid <span className="money">{formatMoney(proposal.paid)}</span>
          </span>
        </p>
      )}
      <ProposalReason proposal={proposal} />
      <ProposalDecision proposal={proposal}>
        {isUnmade(proposal) && (
          <p className="mt-1 font-medium text-warn">
            Approved, but nothing was refunded under it
            {proposal.waits ? ': it waits to be made.' : ', and another refund was made or proposed since.'}
          </p>
        )}
        {proposal.closed && (
          <>
            <p className="mt-1">
              Closed by {proposal.closed.by}, <When at={proposal.closed.at} />
            </p>
            <p className="mt-1 break-words">“{proposal.closed.reason}”</p>
          </>
        )}
        {proposal.refund && (
          <p className="mt-1">
            <ConsoleLink href={`/admin/operations/${proposal.refund.operationId}`}>
              See the refund
            </ConsoleLink>
          </p>
        )}
      </ProposalDecision>
      <Decision proposal={proposal} member={member} />
    </ProposalFrame>
  );
}

function Decision({
  proposal,
  member,
}: {
  proposal: RefundProposal;
  member: Pick<Member, 'userId' | 'role' | 'approvesFrom'>;
}) {
  const trpc = useTRPC();
  const approve = useCommand(trpc.refunds.approve.mutationOptions());
  const reject = useCommand(trpc.refunds.reject.mutationOptions());
  const withdraw = useCommand(trpc.refunds.withdraw.mutationOptions());
  const close = useCommand(trpc.refunds.close.mutationOptions());
  const result = close.result ?? approve.result ?? reject.result ?? withdraw.result;
  const notice = result && noticeOf(result);
  const own = proposal.proposer.id === member.userId;
  const mayApprove = member.role === 'approver' || member.role === 'owner';
  const mayDecide = mayApprove && !own;
  const open = proposal.status === 'open';
  const unmade = isUnmade(proposal) && proposal.waits;
  const mayClose = unmade && (mayApprove || (own && member.role !== 'viewer'));
  const amount = formatMoney(proposal.amount);
  if (!open && !notice && !mayClose) return null;
  return (
    <div className="mt-4 grid gap-3">
      <div role="status" className="empty:hidden">
        {notice && (
          <Notice tone={notice.tone} title={notice.title}>
            {notice.body}
          </Notice>
        )}
      </div>
      <div className="flex flex-wrap gap-2 empty:hidden">
        {(open || unmade) && mayDecide && member.approvesFrom && (
          <MayApproveLater from={member.approvesFrom} />
        )}
        {(open || unmade) && mayDecide && !member.approvesFrom && (
          <ReasonDialog
            action={open ? 'Approve' : 'Refund now'}
            tone="primary"
            title={`${open ? 'Approve: refund' : 'Refund'} ${amount}`}
            consequence={`The customer gets ${amount} back on the card at once, and an e-mail.`}
            confirm={open ? 'Approve' : 'Refund now'}
            late="The refund may be under way. It will not be made twice."
            {...(open && { reasonLabel: 'A note (optional)', reasonOptional: true })}
            onConfirm={async (note) => {
              await approve.send({ id: proposal.id, ...(note && { note }) });
              return undefined;
            }}
          />
        )}
        {open && mayDecide && (
          <ReasonDialog
            action="Reject"
            title={`Reject: refund ${amount}`}
            consequence="Nothing is refunded. Another refund can be proposed."
            confirm="Reject"
            reasonLabel="Why? (kept with the decision)"
            onConfirm={async (note) => {
              await reject.send({ id: proposal.id, note });
              return undefined;
            }}
          />
        )}
        {open && own && member.role !== 'viewer' && (
          <ReasonDialog
            action="Withdraw"
            title="Withdraw your proposal?"
            consequence="Nothing is refunded. Another refund can be proposed."
            confirm="Withdraw"
            onConfirm={async () => {
              await withdraw.send({ id: proposal.id });
              return undefined;
            }}
          />
        )}
        {mayClose && (
          <ReasonDialog
            action="Close without refunding"
            tone="quiet"
            title={`Close the approved refund of ${amount}?`}
            consequence="Nothing is refunded, and it no longer waits. It can be proposed again."
            confirm="Close it"
            reasonLabel="Why is it no longer wanted? (kept with the decision)"
            onConfirm={async (reason) => {
              await close.send({ id: proposal.id, reason });
              return undefined;
            }}
          />
        )}
        {open && own && <p className="self-center text-ink-soft">Another person has to decide.</p>}
        {open && !mayDecide && !own && (
          <p className="text-ink-soft">Waiting for a person with the approver role or above.</p>
        )}
      </div>
    </div>
  );
}

/** The provider could not be reached, the process died, or another refund was first: approving again makes the same refund. */
function isUnmade({ status, refund }: RefundProposal): boolean {
  return status === 'approved' && (!refund || refund.status === 'released');
}

function noticeOf(decided: Decided): ResultNotice {
  switch (decided.kind) {
    case 'approved':
      return refundNotice(decided.result);
    case 'rejected':
      return { tone: 'plain', title: 'Rejected.', body: 'Nothing was refunded.' };
    case 'closed':
      return { tone: 'plain', title: 'Closed.', body: 'Nothing was refunded.' };
    case 'not_waiting':
      return {
        tone: 'warn',
        title: 'It was not closed.',
        body: 'It was made, may be under way, or was decided meanwhile. This page shows it as it is now.',
      };
    case 'withdrawn':
      return { tone: 'plain', title: 'Withdrawn.', body: 'Nothing was refunded.' };
    case 'void':
      return {
        tone: 'warn',
        title: 'Another refund was made: the proposal is void.',
        body: 'Nothing was done. Check what is left, and propose it again if it is still right.',
      };
    case 'not_open':
      return {
        tone: 'plain',
        title: 'Already decided: nothing was done.',
        body: `The proposal is ${(proposalCopy[decided.status as keyof typeof proposalCopy] ?? decided.status).toLowerCase()}.`,
      };
  }
}
