import { formatMoney } from '#payments/money.ts';
import { operationOfAssertion } from '#payments/operations/copy.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { assertionLabel, proposalCopy, providerStateCopy } from '#ui/admin/assertion-copy.ts';
import { ConsoleLink } from '#ui/admin/console-link.tsx';
import { Evidence } from '#ui/admin/evidence.tsx';
import { When } from '#ui/admin/when.tsx';
import type { Member } from '../operations/[id]/operation.ts';
import { ProposalActions } from './proposal-actions.tsx';

export type Proposal = RouterOutputs['proposals']['list']['open'][number];

/**
 * Everything a second person needs to decide, and a later reader to understand the decision. The card keeps its position
 * in the component tree when its proposal is decided, so the result of a click stays on it.
 */
export function ProposalCard(props: {
  proposal: Proposal;
  member: Pick<Member, 'userId' | 'role'>;
  link?: boolean;
  age?: string;
}) {
  const { proposal, member } = props;
  const open = proposal.status === 'open';
  return (
    <article
      data-proposal={proposal.id}
      className={`mb-6 rounded-2xl border bg-surface px-5 py-5 text-sm shadow-card ${open ? 'border-unknown' : 'border-line'}`}
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h2 className="font-semibold text-base tracking-tight">
          {open ? 'Proposed: ' : ''}
          {assertionLabel(proposal.assertion)}
          {proposal.about && (
            <>
              , <span className="money">{formatMoney(proposal.about.amount)}</span>
            </>
          )}
        </h2>
        <p className={open ? 'font-medium text-unknown' : 'text-ink-soft'}>
          {proposalCopy[proposal.status]}
          {props.age && `, ${props.age}`}
        </p>
      </div>
      {props.link && proposal.about && (
        <p className="mt-1">
          <ConsoleLink href={`/admin/operations/${proposal.operationId}`} mono>
            {proposal.about.reference}
          </ConsoleLink>
        </p>
      )}
      {open ? (
        <Proposed proposal={proposal} />
      ) : (
        <details className="mt-2">
          <summary className="-mx-2 inline-flex min-h-11 items-center rounded-lg px-2 text-ink-soft underline decoration-line-strong underline-offset-4 pointer-fine:min-h-8">
            What was proposed, and why
          </summary>
          <Proposed proposal={proposal} />
        </details>
      )}
      {proposal.decidedAt && (
        <div className="mt-4 border-line border-t pt-3 text-ink-soft">
          <p>
            {proposalCopy[proposal.status]}
            {proposal.decidedBy && ` by ${proposal.decidedBy}`}, <When at={proposal.decidedAt} />
          </p>
          {proposal.note && <p className="mt-1 break-words">“{proposal.note}”</p>}
          {proposal.decisionEvidence !== null && (
            <p className="mt-1">
              The provider’s answer at the decision:{' '}
              <strong className="font-medium text-ink">{stateIn(proposal.decisionEvidence, proposal)}</strong>
            </p>
          )}
        </div>
      )}
      <ProposalActions proposal={proposal} member={member} />
    </article>
  );
}

function Proposed({ proposal }: { proposal: Proposal }) {
  return (
    <>
      <p className="mt-3 break-words">“{proposal.reason}”</p>
      <p className="mt-1 text-ink-soft">
        {proposal.proposer.email}, <When at={proposal.proposedAt} />
      </p>
      <p className="mt-3 text-ink-soft">
        The provider’s answer at the time:{' '}
        <strong className="font-medium text-ink">{stateIn(proposal.evidence, proposal)}</strong>
      </p>
      <Evidence value={proposal.evidence} />
    </>
  );
}

function stateIn(evidence: unknown, { assertion }: Proposal): string {
  const state = String((evidence as { state?: unknown } | null)?.state ?? 'no_response');
  return providerStateCopy(state, operationOfAssertion(assertion) ?? '');
}
