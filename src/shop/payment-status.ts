import { checkKey, type Engine, type IdempotencyStore, type OperationRecord } from '#idempotency/index.ts';
import { createPaymentOperation, findNextAction, type PaymentResponse } from '#payments/index.ts';
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

/** Another principal's key and one that was never used have the same result. */
export async function findAttempt(caller: Caller, key: string): Promise<OperationRecord | undefined> {
  if (checkKey(key).kind !== 'key') return undefined;
  const scope = { tenantId: caller.scope.tenantId, operation: createPaymentOperation.name, key };
  const record = await caller.services.store.find(scope);
  return record?.principal === caller.scope.principal ? record : undefined;
}

export type AttemptView = Awaited<ReturnType<typeof viewAttempt>>;

/** The status of an attempt. */
export async function viewAttempt(caller: Caller, key: string) {
  const found = await findAttempt(caller, key);
  if (!found) return { status: 'none' as const };
  const { engine, db } = caller.services;
  const record = await caller.services.onStatusRead(found);
  const stored =
    record.status === 'completed' ? engine.storedResponse(createPaymentOperation, record) : undefined;
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
