import { Check } from 'lucide-react';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { Amount } from '#ui/amount.tsx';
import { Skeleton } from '../skeleton.tsx';
import { Moment } from './moment.tsx';
import { ReceiptEvent, ReceiptSection } from './receipt-section.tsx';

type ChargesResult = RouterOutputs['shop']['charges'];
type ProviderCharge = Extract<ChargesResult, { kind: 'responded' }>['charges'][number];

const titleId = 'charges-title';

/** The provider's own list of charges, read from the provider for this page and not from our tables. */
export function ReceiptCharges({ result }: { result: ChargesResult }) {
  if (result.kind === 'unavailable') {
    return (
      <ReceiptSection id={titleId} title="Bank record">
        <p className="text-ink-soft text-sm leading-6">
          The payment provider could not be reached just now. That changes nothing about your payment. Open
          this page again to check.
        </p>
      </ReceiptSection>
    );
  }
  const taken = result.charges.filter(({ state }) => state === 'succeeded');
  const refused = result.charges.length - taken.length;
  return (
    <ReceiptSection id={titleId} title={`Bank record: ${chargeCount(taken.length)}`}>
      {taken.length > 0 && (
        <ul className="grid gap-3 print:gap-0">
          {taken.map((charge) => (
            <ReceiptEvent
              key={charge.id}
              mark={<Check className="size-4" strokeWidth={2.5} aria-hidden="true" />}
              style="text-ok bg-ok-soft"
              at={<Moment at={charge.createdAt} />}
            >
              <ChargeText charge={charge} />
            </ReceiptEvent>
          ))}
        </ul>
      )}
      <p className="mt-3 text-ink-faint text-sm leading-6 print:mt-1">
        Read from the payment provider, <Moment at={result.askedAt} />.
        {refused > 0 && ` It also has ${refusedCopy(refused)}, which moved no money.`}
      </p>
    </ReceiptSection>
  );
}

function chargeCount(charges: number): string {
  if (charges === 0) return 'no charge';
  return charges === 1 ? '1 charge' : `${charges} charges`;
}

function refusedCopy(count: number): string {
  return count === 1 ? 'one refused attempt' : `${count} refused attempts`;
}

function ChargeText({ charge }: { charge: ProviderCharge }) {
  const { card, refundedMinor, currency } = charge;
  return (
    <>
      <span className="money font-medium">
        <Amount of={charge} />
      </span>
      {card && (
        <span className="capitalize">
          {' '}
          {card.brand} •••• {card.last4}
        </span>
      )}
      {refundedMinor > 0 && (
        <>
          , of which <Amount of={{ amountMinor: refundedMinor, currency }} /> was sent back
        </>
      )}
      <span className="block break-all font-mono text-ink-faint text-xs leading-5">{charge.id}</span>
    </>
  );
}

export function ChargesLoading() {
  return (
    <ReceiptSection id={titleId} title="Bank record">
      <p className="sr-only">Asking the provider…</p>
      <Skeleton className="h-12 print:hidden" />
    </ReceiptSection>
  );
}
