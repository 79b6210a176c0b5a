import type { ReactNode } from 'react';
import { operationOfAssertion } from '#payments/operations/copy.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { proposalCopy } from '#ui/admin/assertion-copy.ts';
import { When } from '#ui/admin/when.tsx';
import { noteCopy } from './note-copy.ts';

type EitherProposal =
  | RouterOutputs['proposals']['list']['open'][number]
  | RouterOutputs['refunds']['proposals']['open'][number];

/** A proposal of either kind, with its state. It stands out while it is open. */
export function ProposalFrame(props: {
  proposal: EitherProposal;
  title: ReactNode;
  age: string | undefined;
  children: ReactNode;
}) {
  const { id, status } = props.proposal;
  const open = status === 'open';
  return (
    <article
      data-proposal={id}
      className={`mb-6 rounded-2xl border bg-surface px-5 py-5 text-sm shadow-card ${open ? 'border-unknown' : 'border-line'}`}
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h2 className="font-semibold text-base tracking-tight">
          {open ? 'Proposed: ' : ''}
          {props.title}
        </h2>
        <p className={open ? 'font-medium text-unknown' : 'text-ink-soft'}>
          {proposalCopy[status]}
          {props.age && `, ${props.age}`}
        </p>
      </div>
      {props.children}
    </article>
  );
}

/** Why it was proposed, by whom and when. */
export function ProposalReason({ proposal }: { proposal: EitherProposal }) {
  return (
    <>
      <p className="mt-3 break-words">“{proposal.reason}”</p>
      <p className="mt-1 text-ink-soft">
        {proposal.proposer.email}, <When at={proposal.proposedAt} />
      </p>
      {proposal.proposerLeft && (
        <p className="mt-1 font-medium text-warn">This person may no longer propose anything in this shop.</p>
      )}
    </>
  );
}

/** For an approver of this day, in the place of the button. */
export function MayApproveLater({ from }: { from: string }) {
  return (
    <p className="w-full text-ink-soft">
      You became an approver a short time ago. You can approve from <When at={from} /> on.
    </p>
  );
}

/** Who decided it, and what else is known of the decision. Nothing while it is open. */
export function ProposalDecision(props: { proposal: EitherProposal; children: ReactNode }) {
  const { status, decidedAt, decidedBy, note } = props.proposal;
  if (!decidedAt) return null;
  const assertion = 'assertion' in props.proposal ? props.proposal.assertion : '';
  const said = note ? noteCopy(note, status, operationOfAssertion(assertion) ?? '') : undefined;
  return (
    <div className="mt-4 border-line border-t pt-3 text-ink-soft">
      <p>
        {proposalCopy[status]}
        {decidedBy && ` by ${decidedBy}`}, <When at={decidedAt} />
      </p>
      {note && <p className="mt-1 break-words">{said ?? `“${note}”`}</p>}
      {props.children}
    </div>
  );
}
