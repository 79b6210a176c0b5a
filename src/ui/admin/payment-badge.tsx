import { Badge } from './badge.tsx';
import { outcomeStyles } from './outcome-styles.ts';
import { type PaymentOutcome, paymentOutcomeCopy } from './payment-outcome-copy.ts';

/** What became of a payment. */
export function PaymentBadge({ outcome, inPart = false }: { outcome: PaymentOutcome; inPart?: boolean }) {
  const label = inPart && outcome === 'refunded' ? 'Partly refunded' : paymentOutcomeCopy[outcome];
  return <Badge label={label} {...outcomeStyles[outcome]} />;
}
