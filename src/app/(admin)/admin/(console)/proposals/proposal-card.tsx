import { formatMoney } from '#payments/money.ts';
import { operationOfAssertion } from '#payments/operations/copy.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { assertionLabel, providerStateCopy } from '#ui/admin/assertion-copy.ts';
import { ConsoleLink } from '#ui/admin/console-link.tsx';
import { Evidence } from '#ui/admin/evidence.tsx';
import type { Member } from '../operations/[id]/operation.ts';
import { ProposalActions } from './proposal-actions.tsx';
import { ProposalDecision, ProposalFrame, ProposalReason } from './proposal-frame.tsx';

export type Proposal = RouterOutputs['proposals']['list']['open'][number];

/**
 * Everything a second person needs to decide, and a later reader to understand the decision. The card keeps its position
 * in the component tree when its proposal is decided, so the result of a click stays on it.
 */
export function ProposalCard(props: {
  proposal: Proposal;
  member: Pick<Member, 'userId' | 'role' | 'approvesFrom'>;
  link?: boolean;
  age?: string;
}) {
  const { proposal, member } = props;
  const title = (
    <>
      {assertionLabel(proposal.assertion)}
      {proposal.about && (
        <>
          , <span className="money">{formatMoney(proposal.about.amount)}</span>
        </>
      )}
    </>
  );
  return (
    <ProposalFrame proposal={proposal} title={title} age={props.age}>
      {props.link && proposal.about && (
        <p className="mt-1">
          <ConsoleLink href={`/admin/operations/${proposal.operationId}`} mono>
            {proposal.about.reference}
          </ConsoleLink>
        </p>
      )}
      {proposal.status === 'open' ? (
        <Proposed proposal={proposal} />
      ) : (
        <details className="mt-2">
          <summary className="-mx-2 inline-flex min-h-11 items-center rounded-lg px-2 text-ink-soft underline decoration-line-strong underline-offset-4 pointer-fine:min-h-8">
            What was proposed, and why
          </summary>
          <Proposed proposal={proposal} />
        </details>
      )}
      <ProposalDecision proposal={proposal}>
        {proposal.decisionEvidence !== null && (
          <p className="mt-1">
            The provider’s answer at the decision:{' '}
            <strong className="font-medium text-ink">{stateIn(proposal.decisionEvidence, proposal)}</strong>
          </p>
        )}
      </ProposalDecision>
      <ProposalActions proposal={proposal} member={member} />
    </ProposalFrame>
  );
}

function Proposed({ proposal }: { proposal: Proposal }) {
  return (
    <>
      <ProposalReason proposal={proposal} />
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
