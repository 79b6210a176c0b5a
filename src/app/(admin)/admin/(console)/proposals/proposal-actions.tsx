'use client';

import { useState } from 'react';
import { useCommand } from '#app/(admin)/admin/use-command.ts';
import { useTRPC } from '#app/trpc/provider.tsx';
import { formatMoney } from '#payments/money.ts';
import { assertionLabel, consequenceCopy } from '#ui/admin/assertion-copy.ts';
import { ReasonDialog } from '#ui/admin/reason-dialog.tsx';
import { Notice } from '#ui/notice.tsx';
import type { Member } from '../operations/[id]/operation.ts';
import type { ResultNotice } from '../operations/result-notice.ts';
import { decidedCopy } from './decided-copy.ts';
import type { Proposal } from './proposal-card.tsx';
import { MayApproveLater } from './proposal-frame.tsx';

/** Another member approves or rejects; the proposer may only withdraw. */
export function ProposalActions(props: {
  proposal: Proposal;
  member: Pick<Member, 'userId' | 'role' | 'approvesFrom'>;
}) {
  const { proposal, member } = props;
  const trpc = useTRPC();
  const approve = useCommand(trpc.proposals.approve.mutationOptions());
  const reject = useCommand(trpc.proposals.reject.mutationOptions());
  const withdraw = useCommand(trpc.proposals.withdraw.mutationOptions());
  const [notice, setNotice] = useState<ResultNotice>();
  const own = proposal.proposer.id === member.userId;
  const mayDecide = (member.role === 'approver' || member.role === 'owner') && !own;
  const amount = proposal.about ? formatMoney(proposal.about.amount) : '';

  async function act(decision: Promise<Parameters<typeof decidedCopy>[0]>): Promise<undefined> {
    setNotice(decidedCopy(await decision, proposal.assertion));
  }

  const open = proposal.status === 'open';
  if (!open && !notice) return null;
  return (
    <div className="mt-4 grid gap-3">
      <div role="status" className="empty:hidden">
        {notice && (
          <Notice tone={notice.tone} title={notice.title}>
            {notice.body}
          </Notice>
        )}
      </div>
      {open && !notice && (
        <div className="flex flex-wrap gap-2">
          {mayDecide && (
            <>
              {member.approvesFrom ? (
                <MayApproveLater from={member.approvesFrom} />
              ) : (
                <ReasonDialog
                  action="Approve"
                  tone="primary"
                  title={`Approve: ${assertionLabel(proposal.assertion)}, ${amount}`}
                  consequence={
                    <>
                      <p>
                        {proposal.about &&
                          consequenceCopy(proposal.assertion, {
                            admissibility: { kind: 'override' },
                            providerState: '',
                            amount: proposal.about.amount,
                          })}
                      </p>
                      <p className="mt-2">
                        The provider is asked again first. If its answer has changed, the proposal becomes
                        void and books nothing.
                      </p>
                    </>
                  }
                  confirm="Approve"
                  reasonLabel="A note (optional)"
                  reasonOptional
                  onConfirm={(note) => act(approve.send({ id: proposal.id, ...(note && { note }) }))}
                />
              )}
              <ReasonDialog
                action="Reject"
                title={`Reject: ${assertionLabel(proposal.assertion)}, ${amount}`}
                consequence="The operation stays unknown and can still be resolved."
                confirm="Reject"
                reasonLabel="Why? (kept with the decision)"
                onConfirm={(note) => act(reject.send({ id: proposal.id, note }))}
              />
            </>
          )}
          {own && member.role !== 'viewer' && (
            <ReasonDialog
              action="Withdraw"
              title="Withdraw your proposal?"
              consequence="The operation stays unknown. Another proposal can be made."
              confirm="Withdraw"
              onConfirm={() => act(withdraw.send({ id: proposal.id }))}
            />
          )}
          {!mayDecide && !own && (
            <p className="text-ink-soft">Waiting for a person with the approver role or above.</p>
          )}
          {own && <p className="self-center text-ink-soft">Another person has to decide.</p>}
        </div>
      )}
    </div>
  );
}
