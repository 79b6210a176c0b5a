import { Check } from 'lucide-react';
import { formatMoney, type Money } from '#payments/money.ts';
import { Moment } from '../moment.tsx';
import { Skeleton } from '../skeleton.tsx';
import { ReceiptEvent, ReceiptSection } from './receipt-section.tsx';

export interface ProviderCharge extends Money {
  readonly id: string;
  readonly state: 'succeeded' | 'failed' | 'pending';
  readonly refundedMinor: number;
  readonly card: { readonly brand: string; readonly last4: string } | undefined;
  readonly createdAt: string;
}

export type AskedCharges =
  | { readonly kind: 'answered'; readonly charges: readonly ProviderCharge[]; readonly askedAt: string }
  | { readonly kind: 'silent' };

const titleId = 'charges-title';

/** What the provider has on its own books: asked of it for this page, not read from our tables. */
export function ReceiptCharges({ asked }: { asked: AskedCharges }) {
  if (asked.kind === 'silent') {
    return (
      <ReceiptSection id={titleId} title="The provider’s own books">
        <p className="text-ink-soft text-sm leading-6">
          The provider could not be asked just now. That changes nothing about your payment; what is above is
          what it told us before. Open this page again to ask it again.
        </p>
      </ReceiptSection>
    );
  }
  const taken = asked.charges.filter(({ state }) => state === 'succeeded');
  const refused = asked.charges.length - taken.length;
  return (
    <ReceiptSection id={titleId} title={`The provider’s own books: ${counted(taken.length)}`}>
      {taken.length > 0 && (
        <ul className="grid gap-3 print:gap-0">
          {taken.map((charge) => (
            <ReceiptEvent
              key={charge.id}
              mark={<Check className="size-4" strokeWidth={2.5} aria-hidden="true" />}
              look="text-ok bg-ok-soft"
              at={<Moment at={charge.createdAt} />}
            >
              <ChargeWords charge={charge} />
            </ReceiptEvent>
          ))}
        </ul>
      )}
      <p className="mt-3 text-ink-faint text-sm leading-6 print:mt-1">
        Asked of the provider itself, <Moment at={asked.askedAt} />.
        {refused > 0 && ` It also has ${refusedWords(refused)}, which moved no money.`}
      </p>
    </ReceiptSection>
  );
}

function counted(charges: number): string {
  if (charges === 0) return 'no charge';
  return charges === 1 ? '1 charge' : `${charges} charges`;
}

function refusedWords(attempts: number): string {
  return attempts === 1 ? 'one refused attempt' : `${attempts} refused attempts`;
}

function ChargeWords({ charge }: { charge: ProviderCharge }) {
  const { card, refundedMinor, currency } = charge;
  return (
    <>
      <span className="money font-medium">{formatMoney(charge)}</span>
      {card && (
        <span className="capitalize">
          {' '}
          {card.brand} •••• {card.last4}
        </span>
      )}
      {refundedMinor > 0 && (
        <>, of which {formatMoney({ amountMinor: refundedMinor, currency })} was sent back</>
      )}
      <span className="block break-all font-mono text-ink-faint text-xs leading-5">{charge.id}</span>
    </>
  );
}

export function ChargesBeingAsked() {
  return (
    <ReceiptSection id={titleId} title="The provider’s own books">
      <p className="sr-only">Asking the provider…</p>
      <Skeleton className="h-12 print:hidden" />
    </ReceiptSection>
  );
}
