import type { Metadata } from 'next';
import Link from 'next/link';
import { formatMoney } from '#payments/money.ts';
import { DataRow, DataTable } from '#ui/admin/data-table.tsx';
import { When } from '#ui/admin/when.tsx';
import { serverApi } from '../../../../trpc/server.ts';
import { signedIn } from '../../signed-in.ts';
import { LateTruthActions } from './late-truth-actions.tsx';

export const metadata: Metadata = { title: 'Late truths' };

const reasons: Record<string, string> = {
  order_cancelled: 'The order had been cancelled when the payment turned out to have succeeded.',
  charged_after_release: 'It was charged after its key had been released; it is in no books.',
  refund_failed: 'It had been paid back, and the shopper’s bank returned it: the shopper does not have it.',
};

export default async function LateTruthsPage({ searchParams }: { searchParams: Promise<{ open?: string }> }) {
  const onlyOpen = (await searchParams).open !== undefined;
  const api = await serverApi();
  const [late, member] = await signedIn(Promise.all([api.lateTruths.list({ onlyOpen }), api.people.me()]));
  return (
    <>
      <h1 className="font-semibold text-2xl tracking-[-0.02em] sm:text-3xl">Late truths</h1>
      <p className="mt-1 max-w-[65ch] text-ink-soft">
        Money that arrived for something that is over, or came back. Nobody but a person decides what becomes
        of it.
      </p>
      {onlyOpen && (
        <p className="mt-3 text-sm">
          Those that wait for a decision.{' '}
          <Link href="/admin/late" className="underline underline-offset-4">
            Show the decided ones too
          </Link>
        </p>
      )}
      <DataTable
        caption="Late truths, those that wait first"
        headings={['Reference', 'Amount', 'What happened', 'Found', 'Decision']}
        empty="None. Every charge belongs to something that is wanted."
      >
        {late.map((one) => (
          <DataRow key={one.id}>
            {[
              <Link
                key="reference"
                href={`/admin/operations/${one.operationId}`}
                className="font-medium font-mono text-[0.8125rem] underline decoration-line-strong underline-offset-4 hover:decoration-accent"
              >
                {one.reference}
              </Link>,
              <span key="amount" className="money font-medium">
                {formatMoney(one.amount)}
              </span>,
              reasons[one.reason] ?? one.reason,
              <When key="found" at={one.foundAt} />,
              one.status !== 'open' ? (
                <span key="decided">
                  {one.status === 'refunded' ? 'Refunded' : one.returned ? 'Settled otherwise' : 'Kept'}
                  {one.decisionReason && (
                    <span className="block text-ink-faint text-xs">“{one.decisionReason}”</span>
                  )}
                </span>
              ) : member.role === 'viewer' ? (
                'Waits for an operator'
              ) : (
                <LateTruthActions
                  key="act"
                  id={one.id}
                  amount={formatMoney(one.amount)}
                  booked={one.booked}
                  returned={one.returned}
                  asked={one.asked}
                />
              ),
            ]}
          </DataRow>
        ))}
      </DataTable>
    </>
  );
}
