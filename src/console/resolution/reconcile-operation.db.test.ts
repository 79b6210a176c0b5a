import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCircuit } from '#reconciliation/index.ts';
import { type OperatorsHarness, openOperatorsHarness, person } from '../testing/operators-harness.ts';
import { reconcileOneOfMany } from './reconcile-operation.ts';

let harness: OperatorsHarness;
const provider = 'sandbox';

beforeAll(async () => {
  harness = await openOperatorsHarness();
});
afterAll(() => harness.close());

function ask(operationId: string, who = person(harness.tenantId, 'operator'), bulkId = randomUUID()) {
  const services = {
    db: harness.db,
    rateLimitedReconciler: harness.services.reconciler,
    settings: { provider },
  };
  return reconcileOneOfMany(services as never, who, operationId, bulkId);
}

test('one of many is resolved by evidence, and its audit entry has the bulk id', async () => {
  const { operationId } = await harness.payUnknown('pm_fault_charged_500');
  const [who, bulkId] = [person(harness.tenantId, 'operator'), randomUUID()];
  expect(await ask(operationId, who, bulkId)).toMatchObject({
    kind: 'completed',
    cause: 'provider_succeeded',
  });
  const entries = await harness.db.auditEntry.findMany({
    where: { tenantId: harness.tenantId, subjectId: operationId },
  });
  expect(entries).toMatchObject([
    { actorEmail: who.email, action: 'operation.reconcile', details: { bulk: bulkId } },
  ]);
  // An operation that was resolved meanwhile is skipped, without an audit entry.
  expect(await ask(operationId)).toEqual({ kind: 'skipped', why: 'not_unknown' });
  expect(
    await harness.db.auditEntry.count({ where: { tenantId: harness.tenantId, subjectId: operationId } }),
  ).toBe(1);
});

test('the verdict and its audit entry are one commit: when the entry cannot be written, nothing is resolved', async () => {
  const { operationId } = await harness.payUnknown('pm_fault_charged_500');
  const withoutEmail = { ...person(harness.tenantId, 'operator'), email: null as unknown as string };
  await expect(ask(operationId, withoutEmail)).rejects.toThrow();
  expect(await harness.store.findById(harness.refOf(operationId))).toMatchObject({ status: 'unknown' });
  expect(await ask(operationId)).toMatchObject({ kind: 'completed' });
  expect(
    await harness.db.auditEntry.count({ where: { tenantId: harness.tenantId, subjectId: operationId } }),
  ).toBe(1);
});

test('another shop’s operation is missing', async () => {
  const { operationId } = await harness.payUnknown('pm_fault_charged_500');
  expect(await ask(operationId, person(randomUUID(), 'operator'))).toEqual({
    kind: 'skipped',
    why: 'missing',
  });
});

test('no request is sent while the circuit is open, and failures of operators’ requests open it', async () => {
  const { operationId } = await harness.payUnknown('pm_fault_charged_500');
  Object.assign(harness.script, { retrieve: () => ({ kind: 'ambiguous', code: 'provider_timeout' }) });
  for (let check = 0; check < 5; check++) {
    expect(await ask(operationId)).toEqual({
      kind: 'still_unknown',
      code: 'provider_timeout',
      noEvidence: true,
    });
  }
  expect(await createCircuit(harness.db, provider).permits()).toBe('none');
  expect(await ask(operationId)).toEqual({ kind: 'skipped', why: 'provider_paused' });
});
