import { formatMoney } from '#payments/money.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { ConsoleLink } from '#ui/admin/console-link.tsx';
import { Copyable } from '#ui/admin/copyable.tsx';
import { Fact, Facts, Panel } from '#ui/admin/panel.tsx';
import { When } from '#ui/admin/when.tsx';

/** Who paid what with which card, and the names of the payment here and at the provider. */
export function PaymentFacts({ found }: { found: RouterOutputs['payment']['get'] }) {
  const { payment, order } = found;
  return (
    <Panel title="Payment">
      <Facts>
        <Fact name="Order">
          {order ? <ConsoleLink href={`/orders/${order.id}`}>{order.number}</ConsoleLink> : payment.reference}
        </Fact>
        <Fact name="Customer">{payment.email ?? '–'}</Fact>
        <Fact name="Amount">
          <span className="money">{formatMoney(payment.amount)}</span>
        </Fact>
        {payment.refunded.amountMinor > 0 && (
          <Fact name="Refunded">
            <span className="money">{formatMoney(payment.refunded)}</span>
          </Fact>
        )}
        {payment.refundsPending.amountMinor > 0 && (
          <Fact name="Refund unknown">
            <span className="money">{formatMoney(payment.refundsPending)}</span>
          </Fact>
        )}
        {payment.cardLast4 && (
          <Fact name="Card">
            <span className="capitalize">{payment.cardBrand}</span> •••• {payment.cardLast4}
          </Fact>
        )}
        {payment.declineCode && (
          <Fact name="Decline code" mono>
            {payment.declineCode}
          </Fact>
        )}
        <Fact name="Began">
          <When at={payment.createdAt} precise />
        </Fact>
        {payment.completedAt && (
          <Fact name="Ended">
            <When at={payment.completedAt} precise />
          </Fact>
        )}
        <Fact name="Id">
          <Copyable text={payment.id} name="the payment’s id" />
        </Fact>
        {payment.intentId && (
          <Fact name="At the provider">
            <Copyable text={payment.intentId} name="the provider’s id" href={found.providerAddress} />
          </Fact>
        )}
      </Facts>
    </Panel>
  );
}
