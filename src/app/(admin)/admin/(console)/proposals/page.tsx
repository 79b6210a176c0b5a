import { CircleCheck } from 'lucide-react';
import type { Metadata } from 'next';
import { signedIn } from '#app/(admin)/admin/signed-in.ts';
import { serverApi } from '#app/trpc/server.ts';
import { formatAge } from '#ui/format-duration.ts';
import { ProposalCard } from './proposal-card.tsx';
import { RefundProposalCard } from './refund-proposal-card.tsx';

export const metadata: Metadata = { title: 'Approvals' };

export default async function ProposalsPage() {
  const api = await serverApi();
  const [{ open, decided }, refunds, member] = await signedIn(
    Promise.all([api.proposals.list(), api.refunds.proposals(), api.people.me()]),
  );
  const now = Date.now();
  const ageOf = (proposedAt: string) => `for ${formatAge(now - Date.parse(proposedAt))}`;
  return (
    <>
      <h1 className="font-semibold text-2xl tracking-[-0.02em] sm:text-3xl">Approvals</h1>
      <p className="mt-1 mb-6 max-w-[65ch] text-ink-soft">
        Decisions the provider could not confirm, and refunds above the shop’s limit. Each needs a second
        person, who decides on the same evidence.
      </p>
      <div className="max-w-3xl">
        {open.length + refunds.open.length === 0 && (
          <p className="mb-8 flex items-center justify-center gap-2 rounded-2xl border border-line border-dashed px-5 py-10 text-center text-ink-soft">
            <CircleCheck className="size-5 text-ok" aria-hidden="true" />
            Nothing to approve.
          </p>
        )}
        {/* One list, so that a card keeps its state when it moves to the decided ones. */}
        {[
          ...open.map((proposal) => (
            <ProposalCard
              key={proposal.id}
              proposal={proposal}
              member={member}
              link
              age={ageOf(proposal.proposedAt)}
            />
          )),
          ...refunds.open.map((proposal) => (
            <RefundProposalCard
              key={proposal.id}
              proposal={proposal}
              member={member}
              link
              age={ageOf(proposal.proposedAt)}
            />
          )),
          decided.length + refunds.decided.length > 0 && (
            <h2 key="decided" className="mt-8 mb-4 font-semibold text-lg tracking-tight">
              Decided
            </h2>
          ),
          ...decided.map((proposal) => (
            <ProposalCard key={proposal.id} proposal={proposal} member={member} link />
          )),
          ...refunds.decided.map((proposal) => (
            <RefundProposalCard key={proposal.id} proposal={proposal} member={member} link />
          )),
        ]}
      </div>
    </>
  );
}
