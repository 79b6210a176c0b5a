import type { Prisma } from '#prisma';

type Tx = Prisma.TransactionClient;

export type ExceptionReason =
  /** The provider charged for a payment whose key was released, or whose reference was paid otherwise. */
  | 'charged_after_release'
  /** The provider charged for a payment that our database does not have: it was restored, or failed over. */
  | 'record_lost'
  /** The order was cancelled while its payment was under way. */
  | 'order_cancelled'
  /** The provider paid back although the refund was released. */
  | 'refunded_after_release'
  /** A bank returned a refund that had succeeded. */
  | 'refund_failed'
  /** A bank had returned a refund, and the provider calls it succeeded now. */
  | 'refund_not_returned'
  /** It was booked on the provider's response, and the provider says now that it was not charged. */
  | 'charge_denied'
  /** An operator asserted that it happened; it was booked, and the provider says that it did not. */
  | 'assertion_denied';

/** Those after which the provider holds no money that could be refunded. */
const nothingToRefund: readonly string[] = [
  'refunded_after_release',
  'refund_not_returned',
  'charge_denied',
  'assertion_denied',
] satisfies ExceptionReason[];

/** Whether the provider holds money of it. A refund that our database had lost has been paid back already. */
export function isRefundable(exception: {
  readonly reason: string;
  readonly refundId: string | null;
}): boolean {
  if (exception.reason === 'record_lost' && exception.refundId !== null) return false;
  return !nothingToRefund.includes(exception.reason);
}

/** These come after the payment or refund was booked, and open an exception again that was decided before. */
const comeLater: readonly ExceptionReason[] = ['order_cancelled', 'refund_failed', 'refund_not_returned'];

/**
 * Shows an operator money that our books do not expect. Nothing is guessed and nothing is booked here. One exception per
 * intent and per refund, however often it is found; false: there was one already.
 */
export async function openException(
  tx: Tx,
  exception: {
    readonly tenantId: string;
    readonly paymentId: string;
    readonly reason: ExceptionReason;
  } & ({ readonly intentId: string } | { readonly refundId: string }),
): Promise<boolean> {
  const { count } = await tx.reconciliationException.createMany({ data: [exception], skipDuplicates: true });
  if (count === 1 || !comeLater.includes(exception.reason)) return count === 1;
  const { tenantId, reason } = exception;
  const [intentId, refundId] =
    'intentId' in exception ? [exception.intentId, null] : [null, exception.refundId];
  // The next refund of it is another one, so it has a generation of its own.
  const reopened = await tx.$executeRaw`
    UPDATE reconciliation_exception SET reason = ${reason}, status = 'open', generation = generation + 1,
      refund_operation_id = NULL, found_at = clock_timestamp(), decided_at = NULL, decided_by = NULL, decision_reason = NULL
    WHERE tenant_id = ${tenantId} AND (intent_id = ${intentId} OR refund_id = ${refundId}::uuid)
      AND reason NOT IN (${reason}, 'assertion_denied') AND (status <> 'open' OR decided_by IS NULL)`;
  return reopened === 1;
}

/** The refund that an operation made may have been for an exception, which its success closes. */
export async function closeRefunded(
  tx: Tx,
  { tenantId, operationId }: { readonly tenantId: string; readonly operationId: string },
): Promise<void> {
  await tx.$executeRaw`
    UPDATE reconciliation_exception SET status = 'refunded', decided_at = clock_timestamp()
    WHERE tenant_id = ${tenantId} AND refund_operation_id = ${operationId}::uuid AND status = 'open'`;
}

/**
 * Money of a cancelled order needs no decision any more once all of it has been paid back, by whichever refunds. The
 * payment is locked (`lockPayment`), so that of refunds that complete at the same moment the last one sees the others.
 */
export async function closeRefundedInFull(
  tx: Tx,
  { tenantId, id }: { readonly tenantId: string; readonly id: string },
): Promise<void> {
  await tx.$executeRaw`
    UPDATE reconciliation_exception e SET status = 'refunded', decided_at = clock_timestamp(), decided_by = 'refund',
      decision_reason = 'It was refunded in full: ' || made.names || '.'
    FROM (
      SELECT p.provider_intent_id AS intent_id, string_agg(r.reference, ', ' ORDER BY r.completed_at) AS names
      FROM payment p JOIN refund r ON r.tenant_id = p.tenant_id AND r.payment_id = p.id AND r.status = 'succeeded'
      WHERE p.tenant_id = ${tenantId} AND p.id = ${id}::uuid
      GROUP BY p.provider_intent_id, p.amount_minor HAVING sum(r.amount_minor) = p.amount_minor) made
    WHERE e.tenant_id = ${tenantId} AND e.payment_id = ${id}::uuid AND e.intent_id = made.intent_id
      AND e.reason = 'order_cancelled' AND e.status = 'open'`;
}
