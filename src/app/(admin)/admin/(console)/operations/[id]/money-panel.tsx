import { formatMoney } from '#payments/money.ts';
import { findCopy } from '#payments/operations/copy.ts';
import { paymentStates, refundStates } from '#payments/state-copy.ts';
import { ownStateCopy } from '#ui/admin/assertion-copy.ts';
import { ConsoleLink } from '#ui/admin/console-link.tsx';
import { Fact, Facts, Panel } from '#ui/admin/panel.tsx';
import { When } from '#ui/admin/when.tsx';
import type { About, Operation } from './operation.ts';

const accounts = new Map([
  ['provider_receivable', 'The provider owes us'],
  ['merchant_payable', 'We owe the merchant'],
]);

const kinds = new Map([
  ['refund', ', refund'],
  ['refund_failed', ', refund came back'],
]);

/** The payment, its ledger entries, refunds and exceptions. */
export function MoneyPanel({ about, operation }: { about: About; operation: Operation }) {
  const { payment, own } = about;
  const ownStateName = findCopy(operation.operation)?.ownStateName;
  return (
    <Panel title="Payment">
      <Facts>
        <Fact name="State">{stateCopy(payment.status, paymentStates)}</Fact>
        {payment.declineCode && (
          <Fact name="Decline code" mono>
            {payment.declineCode}
          </Fact>
        )}
        {payment.refunded.amountMinor > 0 && (
          <Fact name="Paid back">
            <span className="money">{formatMoney(payment.refunded)}</span>
          </Fact>
        )}
        {payment.operationId !== operation.id && (
          <Fact name="Made by" mono>
            <ConsoleLink href={`/admin/operations/${payment.operationId}`}>
              {payment.operationId.slice(0, 8)}
            </ConsoleLink>
          </Fact>
        )}
        {ownStateName && (
          <Fact name={ownStateName}>
            {own.status === 'succeeded' ? 'Succeeded' : ownStateCopy(own.status, operation.operation)}
          </Fact>
        )}
      </Facts>
      <h3 className="mt-5 mb-2 font-medium">Ledger</h3>
      {about.ledger.length === 0 ? (
        <p className="text-ink-soft">Nothing is booked.</p>
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
          <h3 className="mt-5 mb-2 font-medium">Late truths</h3>
          <ul className="grid gap-1.5">
            {about.exceptions.map((one) => (
              <li key={one.id}>
                <ConsoleLink href="/admin/exceptions">
                  {one.status === 'open'
                    ? 'Waits for a decision'
                    : one.status === 'refunded'
                      ? 'Sent back'
                      : 'Kept'}
                </ConsoleLink>{' '}
                <span className="text-ink-faint">
                  found <When at={one.at} />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}

function stateCopy(status: string, states: Partial<Record<string, string>>): string {
  return status === 'succeeded' ? 'Succeeded' : (states[status] ?? status);
}
