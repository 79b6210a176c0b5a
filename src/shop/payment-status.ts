import {
  checkKey,
  type Engine,
  type IdempotencyStore,
  type OperationDefinition,
  type OperationRecord,
} from '#idempotency/index.ts';
import { findNextAction, type PaymentResponse } from '#payments/index.ts';
import type { Prisma } from '#prisma';

export interface Caller {
  readonly services: {
    readonly db: Prisma.TransactionClient;
    readonly store: Pick<IdempotencyStore<Prisma.TransactionClient>, 'find'>;
    readonly engine: Pick<Engine<Prisma.TransactionClient>, 'storedResponse'>;
    onStatusRead(record: OperationRecord): Promise<OperationRecord>;
  };
  readonly scope: { readonly tenantId: string; readonly principal: string };
}

/** The operation by which orders are paid. */
type Pay = OperationDefinition<Prisma.TransactionClient>;

/** Another principal's key and one that was never used have the same result. */
export async function findAttempt(
  caller: Caller,
  pay: Pay,
  key: string,
): Promise<OperationRecord | undefined> {
  if (checkKey(key).kind !== 'key') return undefined;
  const scope = { tenantId: caller.scope.tenantId, operation: pay.name, key };
  const record = await caller.services.store.find(scope);
  return record?.principal === caller.scope.principal ? record : undefined;
}

export type AttemptView = Awaited<ReturnType<typeof viewAttempt>>;

/** The status of an attempt. */
export async function viewAttempt(caller: Caller, pay: Pay, key: string) {
  const found = await findAttempt(caller, pay, key);
  if (!found) return { status: 'none' as const };
  const { engine, db } = caller.services;
  const record = await caller.services.onStatusRead(found);
  const stored = record.status === 'completed' ? engine.storedResponse(pay, record) : undefined;
  return {
    status: record.status,
    operationId: record.id,
    answer: stored ? (JSON.parse(stored.body) as PaymentResponse) : null,
    actionUrl: record.status === 'unknown' ? ((await findNextAction(db, record)) ?? null) : null,
  };
}

/** After these the status changes only if the shopper pays again. */
export function hasEnded(view: AttemptView): boolean {
  return view.status === 'completed' || view.status === 'failed_retryable' || view.status === 'expired';
}
