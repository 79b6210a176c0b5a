import { derivedUuid, type OperationRef } from '#idempotency/index.ts';
import type { Prisma } from '#prisma';
import type { ReferenceHolder } from './exceptions/found-charge.ts';
import { isCurrency } from './money.ts';
import type { Payment, PaymentStatus } from './payment.ts';

type Row = Prisma.PaymentGetPayload<object>;

export function paymentOf(row: Row): Payment {
  if (!isCurrency(row.currency))
    throw new Error(`Payment ${row.id} has the unknown currency ${row.currency}.`);
  return {
    id: row.id,
    tenantId: row.tenantId,
    operationId: row.operationId,
    reference: row.reference,
    amountMinor: Number(row.amountMinor),
    currency: row.currency,
    paymentMethod: row.paymentMethod,
    status: row.status as PaymentStatus,
    generation: row.generation,
    providerIntentId: row.providerIntentId ?? undefined,
    asserted: row.assertedAt !== null,
  };
}

/**
 * Derived from the operation, as the operation's id is from its key. A claim that is repeated after its commit was lost
 * makes the same payment, and sends the provider the same request.
 */
export function paymentIdOf({ tenantId, id }: OperationRef): string {
  return derivedUuid(['paidonce payment', tenantId, id]);
}

/** The row's primary key, as Prisma writes it. */
export function byId({ tenantId, id }: { readonly tenantId: string; readonly id: string }) {
  return { tenantId_id: { tenantId, id } };
}

/** The operation that a payment or refund belongs to. */
export function operationOf(row: { readonly tenantId: string; readonly operationId: string }): OperationRef {
  return { tenantId: row.tenantId, id: row.operationId };
}

export async function findPaymentByOperation(
  db: Prisma.TransactionClient,
  { tenantId, id }: OperationRef,
): Promise<Payment | undefined> {
  const row = await db.payment.findUnique({
    where: { tenantId_operationId: { tenantId, operationId: id } },
  });
  return row ? paymentOf(row) : undefined;
}

/**
 * What is to be decided about a payment or its refunds may be decided at the same moment by its own key and by an operator. Each
 * locks the payment before it reads, so the second of the two sees what the first has done. Until the end of the transaction, and
 * always before an exception is locked: a refund that completes does both in this order too.
 */
export async function lockPayment(
  tx: Prisma.TransactionClient,
  { tenantId, id }: { readonly tenantId: string; readonly id: string },
): Promise<void> {
  await tx.$executeRaw`SELECT FROM payment WHERE tenant_id = ${tenantId} AND id = ${id}::uuid FOR NO KEY UPDATE`;
}

/** The one that stops another payment for the same reference. */
export async function findLivePayment(
  db: Prisma.TransactionClient,
  tenantId: string,
  reference: string,
): Promise<ReferenceHolder | undefined> {
  const row = await db.payment.findFirst({
    where: { tenantId, reference, status: { in: ['pending', 'succeeded'] } },
    select: { id: true, status: true },
  });
  return row ? { id: row.id, status: row.status as 'pending' | 'succeeded' } : undefined;
}

/** Another deployment may use the same account of the provider: its tenants, which metadata may name, are not ours. */
export async function isOwnTenant(db: Prisma.TransactionClient, tenantId: string): Promise<boolean> {
  return (await db.organization.count({ where: { id: tenantId } })) === 1;
}

/** Where the shopper's bank wants to see them before it decides, if it does. */
export async function findNextAction(
  db: Prisma.TransactionClient,
  { tenantId, id }: OperationRef,
): Promise<string | undefined> {
  const row = await db.payment.findUnique({
    where: { tenantId_operationId: { tenantId, operationId: id } },
    select: { nextActionUrl: true },
  });
  return row?.nextActionUrl ?? undefined;
}
