import { checkKey, type OperationRecord } from '#idempotency/index.ts';
import { createPaymentOperation, findNextAction, type PaymentAnswer } from '#payments/index.ts';
import type { House } from '#server/services.ts';

export interface Asker {
  readonly house: House;
  readonly scope: { readonly tenantId: string; readonly principal: string };
}

/** Another principal's key, and one that was never used, are told apart by nobody. */
export async function findAttempt(asker: Asker, key: string): Promise<OperationRecord | undefined> {
  if (checkKey(key).kind !== 'key') return undefined;
  const scope = { tenantId: asker.scope.tenantId, operation: createPaymentOperation.name, key };
  const record = await asker.house.store.find(scope);
  return record?.principal === asker.scope.principal ? record : undefined;
}

export type AttemptView = Awaited<ReturnType<typeof viewAttempt>>;

/** What became of an attempt. */
export async function viewAttempt(asker: Asker, key: string) {
  const found = await findAttempt(asker, key);
  if (!found) return { status: 'none' as const };
  const { engine, db } = asker.house;
  const record = await asker.house.seen(found);
  const stored = record.status === 'completed' ? engine.open(createPaymentOperation, record) : undefined;
  return {
    status: record.status,
    operationId: record.id,
    answer: stored ? (JSON.parse(stored.body) as PaymentAnswer) : null,
    actionUrl: record.status === 'unknown' ? ((await findNextAction(db, record.id)) ?? null) : null,
  };
}

/** Nothing more comes after these, unless somebody pays again. */
export function hasEnded(view: AttemptView): boolean {
  return view.status === 'completed' || view.status === 'failed_retryable' || view.status === 'expired';
}
