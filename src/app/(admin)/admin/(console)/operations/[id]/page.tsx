import type { Metadata } from 'next';
import { Suspense } from 'react';
import { ProposalCard } from '#app/(admin)/admin/(console)/proposals/proposal-card.tsx';
import { signedIn } from '#app/(admin)/admin/signed-in.ts';
import { orNotFound } from '#app/trpc/or-not-found.ts';
import { serverApi } from '#app/trpc/server.ts';
import { formatMoney } from '#payments/money.ts';
import { findCopy } from '#payments/operations/copy.ts';
import { AuditList } from '#ui/admin/audit-list.tsx';
import { BackLink } from '#ui/admin/back-link.tsx';
import { Link } from '#ui/admin/link.tsx';
import { MisuseList } from '#ui/admin/misuse-list.tsx';
import { Neighbours } from '#ui/admin/neighbours.tsx';
import { NextCheck } from '#ui/admin/next-check.tsx';
import { Panel } from '#ui/admin/panel.tsx';
import { StatusBadge } from '#ui/admin/status-badge.tsx';
import { Timeline } from '#ui/admin/timeline.tsx';
import { FollowUpPanel } from './follow-up-panel.tsx';
import { MessagesPanel } from './messages-panel.tsx';
import { MoneyPanel } from './money-panel.tsx';
import { ProviderSide, ProviderSideLoading } from './provider-side.tsx';
import { RefreshOnChange } from './refresh-on-change.tsx';
import { RequestPanel } from './request-panel.tsx';

export const metadata: Metadata = { title: 'Operation' };

export default async function OperationPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  const api = await serverApi();
  const [operation, member, assignees] = await signedIn(
    Promise.all([
      orNotFound(api.operation.get({ operationId: id })),
      api.people.me(),
      api.operations.assignees(),
    ]),
  );
  const { about, messages } = operation;
  const amount = about?.own.amount;
  const summary = about && amount ? { reference: about.payment.reference, amount } : null;
  const proposals = operation.proposals.map((one) => ({ ...one, about: summary }));
  const proposed = proposals.some(({ status }) => status === 'open');
  return (
    <>
      <RefreshOnChange operationId={operation.id} version={operation.version} />
      <div className="flex flex-wrap items-center justify-between gap-x-4">
        <BackLink href={`/admin/operations?status=${operation.status}`}>Operations</BackLink>
        <Neighbours {...operation.neighbours} />
      </div>
      <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <h1 className="break-all font-semibold text-2xl tracking-[-0.02em] sm:text-3xl">
          {about && findCopy(operation.operation)?.titlePrefix}
          {about?.payment.reference ?? `Operation ${operation.id.slice(0, 8)}`}
        </h1>
        {amount && (
          <p className="money text-2xl text-ink-soft tracking-[-0.02em] sm:text-3xl">{formatMoney(amount)}</p>
        )}
        <StatusBadge status={operation.status} operation={operation.operation} outcome={about?.own.status} />
      </div>
      {operation.status === 'unknown' && <NextCheck {...operation.nextCheck} />}
      <div className="mt-8 grid gap-x-8 gap-y-8 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="min-w-0">
          {proposals.map((proposal) => (
            <ProposalCard key={proposal.id} proposal={proposal} member={member} />
          ))}
          {amount && (
            <Suspense fallback={<ProviderSideLoading />}>
              <ProviderSide operation={operation} amount={amount} role={member.role} proposed={proposed} />
            </Suspense>
          )}
          <Panel title="What happened" bare>
            <Timeline operation={operation.operation} events={operation.events} calls={operation.calls} />
          </Panel>
        </div>
        <div className="min-w-0">
          {operation.status === 'unknown' && member.role !== 'viewer' && (
            <FollowUpPanel
              operationId={operation.id}
              assignment={operation.assignment}
              escalated={operation.escalated}
              assignees={assignees}
            />
          )}
          <RequestPanel operation={operation} />
          {operation.misuses.length > 0 && (
            <Panel title="Misuse of its key">
              <MisuseList misuses={operation.misuses} />
            </Panel>
          )}
          {about && <MoneyPanel about={about} operation={operation} />}
          <MessagesPanel messages={messages} operation={operation.operation} />
          <Panel
            title="Operator actions"
            aside={
              <Link href={`/admin/audit?subject=${operation.id}`} className="underline underline-offset-4">
                Audit log
              </Link>
            }
          >
            <AuditList entries={operation.audit} empty="None yet." />
          </Panel>
        </div>
      </div>
    </>
  );
}
