import { formatMoney } from '#payments/money.ts';
import { refundStates } from '#payments/state-copy.ts';
import { ConsoleLink } from '#ui/admin/console-link.tsx';
import { decisionCopy } from '#ui/admin/exception-copy.ts';
import { When } from '#ui/admin/when.tsx';
import type { About } from './operation.ts';

const accounts = new Map([
  ['provider_receivable', 'The provider owes us'],
  ['merchant_payable', 'We owe the merchant'],
]);

const kinds = new Map([
  ['refund', ', refund'],
  ['refund_failed', ', refund came back'],
]);

/** The ledger entries of a payment, its refunds and its exceptions. */
export function MoneyLists({ about }: { about: Pick<About, 'ledger' | 'refunds' | 'exceptions'> }) {
  return (
    <>
      <h3 className="mt-5 mb-2 font-medium first:mt-0">Ledger</h3>
      {about.ledger.length === 0 ? (
        <p className="text-ink-soft">No entries.</p>
      ) : (
        <ul className="grid gap-1.5">
          {about.ledger.map((entry) => (
            <li key={entry.id} className="flex justify-between gap-4">
              <span className="text-ink-soft">
                {accounts.get(entry.account) ?? entry.account}
                {kinds.get(entry.kind)}
              </span>
              <span className="money">{formatMoney(entry.amount)}</span>
            </li>
          ))}
        </ul>
      )}
      {about.refunds.length > 0 && (
        <>
          <h3 className="mt-5 mb-2 font-medium">Refunds</h3>
          <ul className="grid gap-1.5">
            {about.refunds.map((one) => (
              <li key={one.id} className="flex justify-between gap-4">
                <ConsoleLink href={`/admin/operations/${one.operationId}`}>
                  {stateCopy(one.status, refundStates)}
                </ConsoleLink>
                <span className="money">{formatMoney(one.amount)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {about.exceptions.length > 0 && (
        <>
          <h3 className="mt-5 mb-2 font-medium">Unexpected payments</h3>
          <ul className="grid gap-1.5">
            {about.exceptions.map((one) => (
              <li key={one.id}>
                <ConsoleLink href="/admin/exceptions">{decisionCopy(one)}</ConsoleLink>{' '}
                <span className="text-ink-faint">
                  found <When at={one.at} />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

export function stateCopy(status: string, states: Partial<Record<string, string>>): string {
  return status === 'succeeded' ? 'Succeeded' : (states[status] ?? status);
}
