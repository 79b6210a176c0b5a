import type { Metadata } from 'next';
import { signedIn } from '#app/(admin)/admin/signed-in.ts';
import { orNotFound } from '#app/trpc/or-not-found.ts';
import { serverApi } from '#app/trpc/server.ts';
import { formatMoney } from '#payments/money.ts';
import { AuditList } from '#ui/admin/audit-list.tsx';
import { BackLink } from '#ui/admin/back-link.tsx';
import { ConsoleLink } from '#ui/admin/console-link.tsx';
import { Link } from '#ui/admin/link.tsx';
import { kindCopy } from '#ui/admin/operation-copy.ts';
import { Panel } from '#ui/admin/panel.tsx';
import { PaymentBadge } from '#ui/admin/payment-badge.tsx';
import { StatusBadge } from '#ui/admin/status-badge.tsx';
import { When } from '#ui/admin/when.tsx';
import { MessagesPanel } from '../../operations/[id]/messages-panel.tsx';
import { MoneyLists } from '../../operations/[id]/money-lists.tsx';
import { RefundProposalCard } from '../../proposals/refund-proposal-card.tsx';
import { isInPart } from '../payment-rows.tsx';
import { PaymentFacts } from './payment-facts.tsx';
import { RefreshOnChange } from './refresh-on-change.tsx';
import { RefundPanel } from './refund-panel.tsx';

export const metadata: Metadata = { title: 'Payment' };

export default async function PaymentPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  const api = await serverApi();
  const [found, member] = await signedIn(
    Promise.all([orNotFound(api.payment.get({ paymentId: id })), api.people.me()]),
  );
  const { payment, operations, proposals } = found;
  return (
    <>
      <RefreshOnChange
        paymentId={payment.id}
        operationIds={[payment.operationId, ...found.refunds.map(({ operationId }) => operationId)]}
      />
      <BackLink href="/admin/payments">Payments</BackLink>
      <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <h1 className="break-all font-semibold text-2xl tracking-[-0.02em] sm:text-3xl">
          {payment.reference}
        </h1>
        <p className="money text-2xl text-ink-soft tracking-[-0.02em] sm:text-3xl">
          {formatMoney(payment.amount)}
        </p>
        <PaymentBadge outcome={found.outcome} inPart={isInPart(payment)} />
      </div>
      <div className="mt-8 grid gap-x-8 gap-y-8 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="min-w-0">
          {proposals.map((proposal) => (
            <RefundProposalCard key={proposal.id} proposal={proposal} member={member} />
          ))}
          <RefundPanel
            paymentId={payment.id}
            paid={payment.amount}
            refundable={found.refundable}
            refundsBefore={found.refundsBefore}
            limit={found.refundLimit}
            refundedAlone={found.refundedAlone}
            mayAct={member.role !== 'viewer'}
            proposed={proposals.some(({ status }) => status === 'open')}
          />
          <Panel title="Operations" bare>
            <ul className="divide-y divide-line rounded-2xl border border-line bg-surface text-sm shadow-card">
              {operations.map((operation) => (
                <li
                  key={operation.id}
                  className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-5 py-3.5 sm:grid-cols-[minmax(0,1fr)_auto_auto_auto]"
                >
                  <ConsoleLink href={`/admin/operations/${operation.id}`}>
                    {kindCopy(operation.operation)}
                  </ConsoleLink>
                  <span className="money text-right font-medium">
                    {operation.payment && formatMoney(operation.payment.amount)}
                  </span>
                  <span>
                    <StatusBadge
                      status={operation.status}
                      operation={operation.operation}
                      outcome={operation.payment?.status}
                    />
                  </span>
                  <span className="text-right text-ink-soft">
                    <When at={operation.createdAt} />
                  </span>
                </li>
              ))}
              {operations.length === 0 && (
                <li className="px-5 py-4 text-ink-soft">
                  Its records are no longer kept; the books below are.
                </li>
              )}
            </ul>
          </Panel>
          <Panel title="Books">
            <MoneyLists about={found} />
          </Panel>
        </div>
        <div className="min-w-0">
          <PaymentFacts found={found} />
          <MessagesPanel messages={found.messages} operation={operations[0]?.operation ?? ''} />
          <Panel
            title="Operator actions"
            aside={
              <Link href={`/admin/audit?subject=${payment.id}`} className="underline underline-offset-4">
                Audit log
              </Link>
            }
          >
            <AuditList entries={found.audit} empty="None yet." />
          </Panel>
        </div>
      </div>
    </>
  );
}
