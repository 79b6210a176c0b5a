import { PrismaPg } from '@prisma/adapter-pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PrismaClient } from '#prisma';
import { createTestDatabase } from '#run/testing/database.ts';
import { StoreUnavailable } from '../ports.ts';
import type { OperationRef } from '../record.ts';
import { claim, describeStoreContract } from '../testing/store-contract.ts';
import { createPrismaStore } from './prisma.ts';

function primaryKey({ tenantId, id }: OperationRef) {
  return { tenantId_id: { tenantId, id } };
}

async function openStore() {
  const database = await createTestDatabase({ template: 'app' });
  const db = new PrismaClient({ adapter: new PrismaPg({ connectionString: database.url, max: 5 }) });
  const close = async () => {
    await db.$disconnect();
    await database.drop();
  };
  return { db, store: createPrismaStore(db), close };
}

describeStoreContract('PostgreSQL through Prisma', openStore);

describe('the rules that PostgreSQL enforces', () => {
  let opened: Awaited<ReturnType<typeof openStore>>;
  beforeAll(async () => {
    opened = await openStore();
  });
  afterAll(() => opened.close());

  async function insertOne() {
    const record = await opened.store.insert(claim());
    if (!record) throw new Error('expected the claim to be granted');
    return record;
  }

  test('every transition leaves an event with actor, cause and evidence, written by the database', async () => {
    const record = await insertOne();
    const when = { status: ['in_progress'], attempt: 1 } as const;
    await opened.store.transition({
      record,
      when,
      to: 'in_progress',
      recoveryPoint: 'sent',
      effectSent: true,
      reason: { actor: 'owner', cause: 'phase' },
    });
    await opened.store.transition({
      record,
      when,
      to: 'unknown',
      reconcileInMs: 0,
      reason: { actor: 'owner', cause: 'provider_timeout', evidence: { code: 'ETIMEDOUT' } },
    });
    const events = await opened.db.idempotencyEvent.findMany({
      where: { tenantId: record.tenantId, recordId: record.id },
      orderBy: { id: 'asc' },
    });
    expect(events).toMatchObject([
      {
        fromStatus: null,
        toStatus: 'in_progress',
        recoveryPoint: 'claimed',
        actor: 'request',
        cause: 'claimed',
      },
      { fromStatus: 'in_progress', toStatus: 'in_progress', recoveryPoint: 'sent', cause: 'phase' },
      {
        fromStatus: 'in_progress',
        toStatus: 'unknown',
        cause: 'provider_timeout',
        evidence: { code: 'ETIMEDOUT' },
      },
    ]);
  });

  test.each([
    'UPDATE idempotency_event SET actor = $$x$$',
    'DELETE FROM idempotency_event',
    'TRUNCATE idempotency_event',
  ])('events are append-only: %s is refused', async (sql) => {
    await insertOne();
    await expect(opened.db.$executeRawUnsafe(sql)).rejects.toThrow('append-only');
  });

  test.each(['in_progress', 'unknown'] as const)('a record that is %s cannot be deleted', async (status) => {
    const record = await insertOne();
    if (status === 'unknown') {
      await opened.store.transition({
        record,
        when: { status: ['in_progress'], attempt: 1 },
        to: 'unknown',
        reconcileInMs: 0,
        reason: { actor: 'test', cause: 'test' },
      });
    }
    const deletion = opened.db.idempotencyRecord.delete({ where: primaryKey(record) });
    await expect(deletion).rejects.toThrow('only expired records');
  });

  test('an expired lease never releases a record whose effect may have been sent', async () => {
    const record = await opened.store.insert(claim({ effectSent: true, leaseMs: 0 }));
    if (!record) throw new Error('expected the claim to be granted');
    const release = opened.store.transition({
      record,
      when: { status: ['in_progress'], attempt: 1, leaseExpired: true },
      to: 'failed_retryable',
      effectSent: false,
      reason: { actor: 'sweeper', cause: 'lease_expired' },
    });
    await expect(release).rejects.toThrow('does not prove that nothing was sent');
  });

  test('an owner cannot go back to a recovery point at which nothing was sent', async () => {
    const record = await opened.store.insert(claim({ effectSent: true }));
    if (!record) throw new Error('expected the claim to be granted');
    const back = opened.store.transition({
      record,
      when: { status: ['in_progress'], attempt: 1 },
      to: 'in_progress',
      recoveryPoint: 'claimed',
      effectSent: false,
      reason: { actor: 'owner', cause: 'phase' },
    });
    await expect(back).rejects.toThrow('cannot withdraw');
  });

  test.each([`'{"amount": "forged"}'`, 'NULL'])(
    'the digests of a command never change: setting them to %s is refused',
    async (digests) => {
      const { tenantId, id } = await insertOne();
      const sql = `UPDATE idempotency_record SET field_digests = ${digests}
        WHERE tenant_id = '${tenantId}' AND id = '${id}'`;
      await expect(opened.db.$executeRawUnsafe(sql)).rejects.toThrow('never change');
    },
  );

  test('an operator’s assertion never releases a key', async () => {
    const record = await insertOne();
    const when = { status: ['in_progress'], attempt: 1 } as const;
    const release = opened.store.transition({
      record,
      when,
      to: 'failed_retryable',
      reason: { actor: 'operator:1', cause: 'operator_override' },
    });
    await expect(release).rejects.toThrow('never releases a key');
  });

  test('misuses are deleted with their record', async () => {
    const record = await insertOne();
    await opened.store.recordMisuse(record, { kind: 'principal', fields: [] });
    await opened.db.$executeRaw`
      UPDATE idempotency_record SET status = 'failed_retryable', lease_until = NULL
      WHERE tenant_id = ${record.tenantId} AND id = ${record.id}::uuid`;
    await opened.db.$executeRaw`
      UPDATE idempotency_record SET status = 'expired'
      WHERE tenant_id = ${record.tenantId} AND id = ${record.id}::uuid`;
    await opened.db.idempotencyRecord.delete({ where: primaryKey(record) });
    expect(await opened.store.listMisuses(record)).toEqual([]);
    await opened.store.recordMisuse(record, { kind: 'principal', fields: [] });
  });

  test('a store that cannot be reached fails with StoreUnavailable', async () => {
    const nowhere = new PrismaClient({
      adapter: new PrismaPg({ connectionString: 'postgresql://nobody@127.0.0.1:1/nothing' }),
    });
    await expect(createPrismaStore(nowhere).insert(claim())).rejects.toBeInstanceOf(StoreUnavailable);
  });
});
