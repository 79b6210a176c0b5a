import { formatMoney, type Money } from '#payments/money.ts';
import { ConsoleLink } from '#ui/admin/console-link.tsx';
import { Evidence } from '#ui/admin/evidence.tsx';
import { proposalWords, sayingWords, verdictWord } from '#ui/admin/verdict-copy.ts';
import { When } from '#ui/admin/when.tsx';
import type { Member } from '../operations/[id]/operation.ts';
import { ProposalActions } from './proposal-actions.tsx';

export interface Proposal {
  readonly id: string;
  readonly operationId: string;
  readonly verdict: string;
  readonly reason: string;
  readonly evidence: unknown;
  readonly proposer: { readonly id: string; readonly email: string };
  readonly proposedAt: string;
  readonly status: keyof typeof proposalWords;
  readonly decidedBy: string | null;
  readonly decidedAt: string | null;
  readonly note: string | null;
  readonly decisionEvidence: unknown;
  readonly about: { readonly reference: string; readonly amount: Money } | null;
}

/**
 * Everything a second person needs to decide, and whoever asks later why it was decided. What became of a click stays
 * where it was made: the card keeps its place in the tree when its proposal is decided.
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
          {verdictWord(proposal.verdict)}
          {proposal.about && (
            <>
              , <span className="money">{formatMoney(proposal.about.amount)}</span>
            </>
          )}
        </h2>
        <p className={open ? 'font-medium text-unknown' : 'text-ink-soft'}>
          {proposalWords[proposal.status]}
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
            {proposalWords[proposal.status]}
            {proposal.decidedBy && ` by ${proposal.decidedBy}`}, <When at={proposal.decidedAt} />
          </p>
          {proposal.note && <p className="mt-1 break-words">“{proposal.note}”</p>}
          {proposal.decisionEvidence !== null && (
            <p className="mt-1">
              The provider now said:{' '}
              <strong className="font-medium text-ink">{saidIn(proposal.decisionEvidence)}</strong>
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
        The provider then said: <strong className="font-medium text-ink">{saidIn(proposal.evidence)}</strong>
      </p>
      <Evidence value={proposal.evidence} />
    </>
  );
}

function saidIn(evidence: unknown): string {
  return sayingWords(String((evidence as { says?: unknown } | null)?.says ?? 'silent'));
}
