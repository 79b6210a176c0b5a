import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCircuit } from '#reconciliation/index.ts';
import { type OperatorsDesk, openDesk, person } from '../testing/operators-harness.ts';
import { reconcileOneOfMany } from './reconcile-operation.ts';

let stand: OperatorsDesk;
const provider = 'sandbox';

beforeAll(async () => {
  stand = await openDesk();
});
afterAll(() => stand.close());

function ask(operationId: string, who = person(stand.tenantId, 'operator'), bulkId = randomUUID()) {
  const house = { db: stand.db, patientReconciler: stand.desk.reconciler, settings: { provider } };
  return reconcileOneOfMany(house as never, who, operationId, bulkId);
}

test('one of many is settled by evidence, and is in the audit log with the others it was asked with', async () => {
  const { operationId } = await stand.payInto('pm_fault_charged_500');
  const [who, bulkId] = [person(stand.tenantId, 'operator'), randomUUID()];
  expect(await ask(operationId, who, bulkId)).toMatchObject({ kind: 'settled', cause: 'provider_succeeded' });
  const deeds = await stand.db.auditEntry.findMany({ where: { subjectId: operationId } });
  expect(deeds).toMatchObject([
    { actorEmail: who.email, action: 'operation.reconcile', details: { bulk: bulkId } },
  ]);
  // What somebody else settled meanwhile is left alone, and asking is no deed.
  expect(await ask(operationId)).toEqual({ kind: 'skipped', why: 'not_unknown' });
  expect(await stand.db.auditEntry.count({ where: { subjectId: operationId } })).toBe(1);
});

test('a verdict and whose doing it was are one commit: where the log cannot be written, nothing is settled', async () => {
  const { operationId } = await stand.payInto('pm_fault_charged_500');
  const nobody = { ...person(stand.tenantId, 'operator'), email: null as unknown as string };
  await expect(ask(operationId, nobody)).rejects.toThrow();
  const record = await stand.db.idempotencyRecord.findUniqueOrThrow({ where: { id: operationId } });
  expect(record.status).toBe('unknown');
  expect(await ask(operationId)).toMatchObject({ kind: 'settled' });
  expect(await stand.db.auditEntry.count({ where: { subjectId: operationId } })).toBe(1);
});

test('another shop’s operation is as if it were not', async () => {
  const { operationId } = await stand.payInto('pm_fault_charged_500');
  expect(await ask(operationId, person(randomUUID(), 'operator'))).toEqual({
    kind: 'skipped',
    why: 'missing',
  });
});

test('a provider that is being given time is left alone, and a person’s failures count towards that', async () => {
  const { operationId } = await stand.payInto('pm_fault_charged_500');
  Object.assign(stand.script, { retrieve: () => ({ kind: 'ambiguous', code: 'provider_timeout' }) });
  for (let look = 0; look < 5; look++) {
    expect(await ask(operationId)).toEqual({ kind: 'still_unknown', code: 'provider_timeout', noWord: true });
  }
  expect(await createCircuit(stand.db, provider).permits()).toBe('none');
  expect(await ask(operationId)).toEqual({ kind: 'skipped', why: 'provider_resting' });
});
