'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { api } from '#app/trpc/client.ts';
import { formatMoney } from '#payments/money.ts';
import { assertionLabel, consequenceCopy } from '#ui/admin/assertion-copy.ts';
import { ReasonDialog } from '#ui/admin/reason-dialog.tsx';
import { Notice } from '#ui/notice.tsx';
import type { Member } from '../operations/[id]/operation.ts';
import type { Finding } from '../operations/reconciled.ts';
import { decidedCopy } from './decided-copy.ts';
import type { Proposal } from './proposal-card.tsx';

/** Another member approves or rejects; the proposer may only withdraw. */
export function ProposalActions(props: { proposal: Proposal; member: Pick<Member, 'userId' | 'role'> }) {
  const { proposal, member } = props;
  const router = useRouter();
  const [finding, setFinding] = useState<Finding>();
  const own = proposal.proposer.id === member.userId;
  const mayDecide = (member.role === 'approver' || member.role === 'owner') && !own;
  const what = proposal.about ? formatMoney(proposal.about.amount) : '';

  async function act(decision: Promise<Parameters<typeof decidedCopy>[0]>): Promise<undefined> {
    setFinding(decidedCopy(await decision, proposal.assertion));
    router.refresh();
  }

  const open = proposal.status === 'open';
  if (!open && !finding) return null;
  return (
    <div className="mt-4 grid gap-3">
      <div role="status" className="empty:hidden">
        {finding && (
          <Notice tone={finding.tone} title={finding.title}>
            {finding.body}
          </Notice>
        )}
      </div>
      {open && !finding && (
        <div className="flex flex-wrap gap-2">
          {mayDecide && (
            <>
              <ReasonDialog
                action="Approve"
                tone="primary"
                title={`Approve: ${assertionLabel(proposal.assertion)}, ${what}`}
                consequence={
                  <>
                    <p>
                      {proposal.about &&
                        consequenceCopy(proposal.assertion, {
                          admissibility: { kind: 'override' },
                          says: '',
                          amount: proposal.about.amount,
                        })}
                    </p>
                    <p className="mt-2">
                      The provider is asked again first. If it says something else by now, the proposal is
                      void and nothing is booked on it.
                    </p>
                  </>
                }
                confirm="Approve"
                reasonLabel="A note (optional)"
                reasonOptional
                onConfirm={(note) =>
                  act(api.proposals.approve.mutate({ id: proposal.id, ...(note && { note }) }))
                }
              />
              <ReasonDialog
                action="Reject"
                title={`Reject: ${assertionLabel(proposal.assertion)}, ${what}`}
                consequence="The operation stays unknown, and is looked into further."
                confirm="Reject"
                reasonLabel="Why? (kept with the decision)"
                onConfirm={(note) => act(api.proposals.reject.mutate({ id: proposal.id, note }))}
              />
            </>
          )}
          {own && member.role !== 'viewer' && (
            <ReasonDialog
              action="Withdraw"
              title="Withdraw your proposal?"
              consequence="The operation stays unknown. Somebody may propose something else."
              confirm="Withdraw"
              onConfirm={() => act(api.proposals.withdraw.mutate({ id: proposal.id }))}
            />
          )}
          {!mayDecide && !own && (
            <p className="text-ink-soft">It waits for somebody with the role of approver or above.</p>
          )}
          {own && <p className="self-center text-ink-soft">It takes somebody else to decide on it.</p>}
        </div>
      )}
    </div>
  );
}
