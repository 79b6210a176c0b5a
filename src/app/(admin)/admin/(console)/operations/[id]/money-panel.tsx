import { formatMoney } from '#payments/money.ts';
import { findCopy } from '#payments/operations/copy.ts';
import { paymentStates } from '#payments/state-copy.ts';
import { ownStateCopy } from '#ui/admin/assertion-copy.ts';
import { ConsoleLink } from '#ui/admin/console-link.tsx';
import { Fact, Facts, Panel } from '#ui/admin/panel.tsx';
import { MoneyLists, stateCopy } from './money-lists.tsx';
import type { About, Operation } from './operation.ts';

/** The payment, its ledger entries, refunds and exceptions. */
export function MoneyPanel({ about, operation }: { about: About; operation: Operation }) {
  const { payment, own } = about;
  const ownStateName = findCopy(operation.operation)?.ownStateName;
  return (
    <Panel
      title="Payment"
      aside={<ConsoleLink href={`/admin/payments/${payment.id}`}>Open the payment</ConsoleLink>}
    >
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
        {payment.refundsPending.amountMinor > 0 && (
          <Fact name="Refund unknown">
            <span className="money">{formatMoney(payment.refundsPending)}</span>
          </Fact>
        )}
        {payment.operationId !== operation.id && (
          <Fact name="Created by" mono>
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
      <MoneyLists about={about} />
    </Panel>
  );
}
