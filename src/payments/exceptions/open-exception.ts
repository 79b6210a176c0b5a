import type { Prisma } from '#prisma';

type Tx = Prisma.TransactionClient;

export type ExceptionReason =
  /** The provider charged for a payment whose key was released, or whose reference was paid otherwise. */
  | 'charged_after_release'
  /** The order was cancelled while its payment was under way. */
  | 'order_cancelled'
  /** A bank returned a refund that had succeeded. */
  | 'refund_failed';

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
  return count === 1;
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
