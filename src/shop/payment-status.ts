import {
  checkKey,
  type Engine,
  type IdempotencyStore,
  type OperationDefinition,
  type OperationRecord,
  operationRefOf,
} from '#idempotency/index.ts';
import { findNextAction, type PaymentResponse } from '#payments/index.ts';
import type { Prisma } from '#prisma';

/** What a read of a status needs of the request's context. */
export interface StatusReader {
  readonly services: {
    readonly db: Prisma.TransactionClient;
    readonly store: Pick<IdempotencyStore<Prisma.TransactionClient>, 'findById'>;
    readonly engine: Pick<Engine<Prisma.TransactionClient>, 'storedResponse'>;
    onStatusRead(record: OperationRecord): Promise<OperationRecord>;
  };
  readonly caller: { readonly tenantId: string; readonly principal: string };
}

/** The operation by which orders are paid. */
type Pay = OperationDefinition<Prisma.TransactionClient>;

/** Another principal's key and one that was never used have the same result. */
export async function findRecordByKey(
  { services, caller }: StatusReader,
  pay: Pay,
  key: string,
): Promise<OperationRecord | undefined> {
  if (checkKey(key).kind !== 'key') return undefined;
  const scope = { tenantId: caller.tenantId, operation: pay.name, key };
  const record = await services.store.findById(operationRefOf(scope));
  return record?.principal === caller.principal ? record : undefined;
}

export type PaymentStatusView = Awaited<ReturnType<typeof viewPaymentStatus>>;

/** The status of the payment under a key, for the page that sent it. */
export async function viewPaymentStatus(reader: StatusReader, pay: Pay, key: string) {
  const found = await findRecordByKey(reader, pay, key);
  if (!found) return { status: 'none' as const };
  const { engine, db } = reader.services;
  const record = await reader.services.onStatusRead(found);
  const stored = record.status === 'completed' ? engine.storedResponse(pay, record) : undefined;
  return {
    status: record.status,
    operationId: record.id,
    response: stored ? (JSON.parse(stored.body) as PaymentResponse) : null,
    actionUrl: record.status === 'unknown' ? ((await findNextAction(db, record)) ?? null) : null,
  };
}

/** After these the status changes only if the shopper pays again. */
export function hasEnded(view: PaymentStatusView): boolean {
  return view.status === 'completed' || view.status === 'failed_retryable' || view.status === 'expired';
}
