import type { Prisma } from '#prisma';

type Tx = Prisma.TransactionClient;

/** An operator's decision about an exception. */
export interface ExceptionDecision {
  readonly actor: string;
  readonly reason: string;
  /** In the transaction that records the decision. */
  readonly writes: (tx: Tx) => Promise<void>;
}

/** The result of booking what our database had lost. */
export type LostBooking =
  | { readonly kind: 'booked' }
  | { readonly kind: 'not_open' }
  /** The provider gave no definitive response, or the payment has to be booked first; it is safe to try again. */
  | { readonly kind: 'not_yet'; readonly code: string }
  /** Another payment, or refund, for the reference succeeded meanwhile: this one cannot be booked. */
  | { readonly kind: 'reference_used' };

/** It cannot be booked now: rolls the transaction back, and with it that the exception is closed. */
export class NotBookable extends Error {
  override readonly name = 'NotBookable';
  readonly code: string;

  constructor(code: string) {
    super(`It cannot be booked now (${code}).`);
    this.code = code;
  }
}

/** False: it was decided before, and nothing was written. */
export async function closeAsBooked(
  tx: Tx,
  tenantId: string,
  exceptionId: string,
  decision: ExceptionDecision,
): Promise<boolean> {
  const closed = await tx.$executeRaw`
    UPDATE reconciliation_exception SET status = 'booked', decided_at = clock_timestamp(),
      decided_by = ${decision.actor}, decision_reason = ${decision.reason}
    WHERE tenant_id = ${tenantId} AND id = ${exceptionId}::uuid AND status = 'open' AND decided_by IS NULL`;
  if (closed === 1) await decision.writes(tx);
  return closed === 1;
}
