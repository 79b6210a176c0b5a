import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PrismaClient } from '#prisma';
import { createTestDatabase } from '#run/testing/database.ts';
import { StoreUnavailable } from '../ports.ts';
import type { OperationRef } from '../record.ts';
import { claim, describeStoreContract, granted } from '../testing/store-contract.ts';
import { createPgDriver, storePoolSettings } from './pg-driver.ts';
import { createPostgresStore, type SqlDriver } from './postgres.ts';
import { createCombinedDriver, createPrismaDriver } from './prisma.ts';

function primaryKey({ tenantId, id }: OperationRef) {
  return { tenantId_id: { tenantId, id } };
}

async function openDatabase() {
  const database = await createTestDatabase({ template: 'app' });
  const pool = new pg.Pool({ connectionString: database.url, max: 5 });
  const db = new PrismaClient({ adapter: new PrismaPg(pool) });
  const close = async () => {
    await db.$disconnect();
    await pool.end();
    await database.drop();
  };
  return { pool, db, close };
}

async function openStore() {
  const opened = await openDatabase();
  return { ...opened, store: createPostgresStore(createCombinedDriver(opened.pool, opened.db)) };
}

describeStoreContract('PostgreSQL through pg', async () => {
  const { pool, close } = await openDatabase();
  return { store: createPostgresStore(createPgDriver(pool)), close };
});

describeStoreContract('PostgreSQL through Prisma', async () => {
  const { db, close } = await openDatabase();
  return { store: createPostgresStore(createPrismaDriver(db)), close };
});

describeStoreContract('PostgreSQL through pg, with transactions of Prisma', openStore);

describe('the rules that PostgreSQL enforces', () => {
  let opened: Awaited<ReturnType<typeof openStore>>;
  beforeAll(async () => {
    opened = await openStore();
  });
  afterAll(() => opened.close());

  /** PostgreSQL answers the COMMIT of a transaction with a failed statement by rolling it back, and reports no error. */
  test.each<[string, () => Promise<boolean>]>([
    ['pg', () => changeHidingAFailure(createPgDriver(opened.pool), (tx) => tx.query('SELECT 1 / 0'))],
    ['Prisma', () => changeHidingAFailure(createPrismaDriver(opened.db), (tx) => tx.$queryRaw`SELECT 1 / 0`)],
  ])(
    'through %s, domain writes that hide a failed statement are an error, and not a commit',
    async (_, change) => {
      await expect(change()).rejects.toThrow();
      expect(await opened.db.idempotencyRecord.count({ where: { recoveryPoint: 'never_committed' } })).toBe(
        0,
      );
    },
  );

  async function changeHidingAFailure<Tx>(driver: SqlDriver<Tx>, fail: (tx: Tx) => Promise<unknown>) {
    return createPostgresStore(driver).transition(
      {
        record: await insertOne(),
        when: { status: ['in_progress'], attempt: 1 },
        ...{ to: 'in_progress', recoveryPoint: 'never_committed', effectSent: true },
        reason: { actor: 'owner', cause: 'phase' },
      },
      async (tx) => {
        await fail(tx).catch(() => undefined);
      },
    );
  }

  async function insertOne() {
    return granted(await opened.store.claim(claim()));
  }

  async function completeOne() {
    const record = await insertOne();
    const response = { status: 201, body: Buffer.from('sealed'), keyId: 'k', schemaVersion: 1 };
    await opened.store.transition({
      record,
      when: { status: ['in_progress'], attempt: 1 },
      to: 'completed',
      response,
      reason: { actor: 'owner', cause: 'test' },
    });
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
      checkInMs: 0,
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
        checkInMs: 0,
        reason: { actor: 'test', cause: 'test' },
      });
    }
    const deletion = opened.db.idempotencyRecord.delete({ where: primaryKey(record) });
    await expect(deletion).rejects.toThrow('only expired records');
  });

  test('an expired lease never releases a record whose effect may have been sent', async () => {
    const record = granted(await opened.store.claim(claim({ effectSent: true, leaseMs: 0 })));
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
    const record = granted(await opened.store.claim(claim({ effectSent: true })));
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

  test.each([15, 256])('a key of %i characters is refused', async (length) => {
    const short = claim({ key: 'k'.repeat(length) });
    await expect(opened.store.claim(short)).rejects.toThrow('16 to 255 characters');
  });

  test('a stored response never changes; only its body may be purged', async () => {
    const { tenantId, id } = await completeOne();
    const change = (set: string) =>
      opened.pool.query(`UPDATE idempotency_record SET ${set} WHERE tenant_id = $1 AND id = $2`, [
        tenantId,
        id,
      ]);
    await expect(change('response_status = 500')).rejects.toThrow('never changes');
    await expect(change(`response_body = 'forged'`)).rejects.toThrow('never changes');
    await expect(change('response_body = NULL')).rejects.toThrow('do not fit its status');
    await change('response_body = NULL, body_purged_at = now()');
  });

  test.each([
    ['in_progress', 'lease_until = NULL', 'has no lease'],
    ['in_progress', 'expires_at = now()', 'expires'],
    ['in_progress', 'escalated_at = now()', 'is in the operators’ queue'],
    ['unknown', 'lease_until = now()', 'has a lease'],
    ['unknown', 'expires_at = now()', 'expires'],
    ['unknown', 'unknown_since = NULL', 'has no time since when'],
    ['completed', 'lease_until = now()', 'has a lease'],
    ['completed', 'completed_at = NULL', 'has no time of completion'],
    ['completed', 'escalated_at = now()', 'is in the operators’ queue'],
    ['failed_retryable', 'effect_sent = true', 'may have sent an effect'],
    ['failed_retryable', 'lease_until = now()', 'has a lease'],
    ['lost', '', 'is no status'],
  ])('no record is %s and, by %s, %s', async (status, set) => {
    const { tenantId, id } = await insertOne();
    const to = {
      in_progress: '',
      lost: '',
      unknown: `status = 'unknown', lease_until = NULL, unknown_since = now()`,
      completed: `status = 'completed', lease_until = NULL, response_status = 201, response_body = 'x', completed_at = now()`,
      failed_retryable: `status = 'failed_retryable', lease_until = NULL`,
    }[status];
    const change = (assignments: string) =>
      opened.pool.query(`UPDATE idempotency_record SET ${assignments} WHERE tenant_id = $1 AND id = $2`, [
        tenantId,
        id,
      ]);
    if (to) await change(to);
    await expect(change(set || `status = '${status}'`)).rejects.toThrow('do not fit its status');
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

  test('a record that stays locked, such as by a frozen owner, is unavailable: the caller may retry', async () => {
    const record = await insertOne();
    const locking = await opened.pool.connect();
    const impatient = new pg.Pool({ ...opened.pool.options, ...storePoolSettings });
    await locking.query('BEGIN');
    await locking.query('SELECT FROM idempotency_record WHERE id = $1 FOR UPDATE', [record.id]);
    const expiry = createPostgresStore(createPgDriver(impatient)).transition({
      record,
      when: { status: ['in_progress'], attempt: 1 },
      to: 'unknown',
      checkInMs: 0,
      reason: { actor: 'test', cause: 'test' },
    });
    await expect(expiry).rejects.toBeInstanceOf(StoreUnavailable);
    await locking.query('ROLLBACK');
    locking.release();
    await impatient.end();
  });

  test('a store that cannot be reached fails with StoreUnavailable', async () => {
    const nowhere = new pg.Pool({ connectionString: 'postgresql://none@127.0.0.1:1/nothing' });
    const db = new PrismaClient({ adapter: new PrismaPg(nowhere) });
    for (const driver of [createPgDriver(nowhere), createPrismaDriver(db)]) {
      const store = createPostgresStore<never>(driver as unknown as SqlDriver<never>);
      await expect(store.claim(claim())).rejects.toBeInstanceOf(StoreUnavailable);
    }
  });

  test.each([
    ['pg', () => createPgDriver(opened.pool)],
    ['Prisma', () => createPrismaDriver(opened.db)],
  ])('through %s: a COMMIT whose outcome is not proven fails with StoreUnavailable', async (_, driverOf) => {
    await opened.pool.query(`
      CREATE TABLE IF NOT EXISTS fragile (x int);
      CREATE OR REPLACE FUNCTION fail_at_commit() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'internal' USING ERRCODE = 'XX000'; END $$;
      DROP TRIGGER IF EXISTS fragile_at_commit ON fragile;
      CREATE CONSTRAINT TRIGGER fragile_at_commit AFTER INSERT ON fragile
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail_at_commit()`);
    const driver = driverOf() as unknown as SqlDriver<never>;
    const store = createPostgresStore<never>(driver);
    const record = granted(await store.claim(claim()));
    const insert = { name: 'fragile', text: 'INSERT INTO fragile VALUES (1)', values: [] };
    const transition = {
      record,
      when: { status: ['in_progress'], attempt: 1 },
      to: 'unknown',
      reason: { actor: 'request', cause: 'test' },
    } as const;
    const finish = store.transition(transition, async (tx) => {
      await driver.queryIn(tx, insert);
    });
    await expect(finish).rejects.toBeInstanceOf(StoreUnavailable);
  });

  test.each([
    ['40P01', 'a deadlock'],
    ['40001', 'a serialization failure, where that is the default isolation'],
    ['55P03', 'a row that stays locked'],
  ])('%s, %s, fails with StoreUnavailable through every driver: the caller may retry', async (code) => {
    await opened.pool.query(`
      CREATE OR REPLACE FUNCTION clash() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'rolled back' USING ERRCODE = '${code}'; END $$;
      CREATE TRIGGER clash BEFORE INSERT ON idempotency_record FOR EACH ROW EXECUTE FUNCTION clash()`);
    try {
      for (const driver of [createPgDriver(opened.pool), createPrismaDriver(opened.db)]) {
        const store = createPostgresStore<never>(driver as unknown as SqlDriver<never>);
        await expect(store.claim(claim())).rejects.toBeInstanceOf(StoreUnavailable);
      }
    } finally {
      await opened.pool.query('DROP TRIGGER clash ON idempotency_record');
    }
  });

  test.each([
    ['off', 'on'],
    ['local', 'local'],
  ])(
    'where synchronous_commit is %s, a transaction that writes a record commits with %s',
    async (set, expected) => {
      const client = await opened.pool.connect();
      try {
        const committedWith = async () =>
          (await client.query('SHOW synchronous_commit')).rows[0].synchronous_commit;
        const seen: string[] = [];
        /** Every statement of the store in a transaction of its own, to see what it commits with. */
        const watched = {
          ...createPgDriver(opened.pool),
          query: async <Row>({ text, values }: { text: string; values: readonly unknown[] }) => {
            await client.query(`BEGIN; SET LOCAL synchronous_commit = ${set}`);
            const { rows } = await client.query(text, [...values]);
            seen.push(await committedWith());
            await client.query('COMMIT');
            return rows as Row[];
          },
        };
        const store = createPostgresStore(watched);
        const record = granted(await store.claim(claim()));
        const when = { status: ['in_progress'], attempt: 1 } as const;
        await store.transition({ record, when, to: 'unknown', reason: { actor: 'request', cause: 'test' } });
        expect(seen).toEqual([expected, expected]);
      } finally {
        client.release();
      }
    },
  );

  test('a primary that was demoted takes no claims, and says StoreUnavailable through every driver', async () => {
    const url = new URL(String(opened.pool.options.connectionString));
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    const pool = new pg.Pool({ connectionString: url.href });
    const db = new PrismaClient({ adapter: new PrismaPg(pool) });
    for (const driver of [createPgDriver(pool), createPrismaDriver(db)]) {
      const store = createPostgresStore<never>(driver as unknown as SqlDriver<never>);
      await expect(store.claim(claim())).rejects.toBeInstanceOf(StoreUnavailable);
    }
    await db.$disconnect();
    await pool.end();
  });

  test('nothing is concluded from a row that belongs to another tenant, key or statement', async () => {
    const [own, others] = [claim(), claim()];
    const stranger = granted(await opened.store.claim(others));
    const real = createPgDriver(opened.pool);
    /** As behind a pooler that mixed up two responses: the row of another's record. */
    const mixedUp: SqlDriver<pg.PoolClient> = {
      ...real,
      query: async <Row>() => {
        const { rows } = await opened.pool.query(
          'SELECT true AS granted, r.*, NULL AS row_result FROM idempotency_record r WHERE tenant_id = $1 AND id = $2',
          [stranger.tenantId, stranger.id],
        );
        return rows as Row[];
      },
    };
    const store = createPostgresStore(mixedUp);
    await expect(store.claim(own)).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(store.findById({ tenantId: own.tenantId, id: own.id })).rejects.toBeInstanceOf(
      StoreUnavailable,
    );
    const record = granted(await opened.store.claim(own));
    const transition = {
      record,
      when: { status: ['in_progress'], attempt: 1 },
      to: 'unknown',
      reason: { actor: 'request', cause: 'test' },
    } as const;
    await expect(store.transition(transition)).rejects.toBeInstanceOf(StoreUnavailable);

    /** The id is right, the key is not. */
    const forged: SqlDriver<pg.PoolClient> = {
      ...real,
      query: async <Row>() =>
        (
          await opened.pool.query(
            `SELECT false AS granted, r.tenant_id, $3::uuid AS id, r.operation, r.key, r.principal, r.fingerprint, r.status
             FROM idempotency_record r WHERE tenant_id = $1 AND id = $2`,
            [stranger.tenantId, stranger.id, own.id],
          )
        ).rows as Row[],
    };
    const sameTenant = { ...own, tenantId: stranger.tenantId };
    await expect(createPostgresStore(forged).claim(sameTenant)).rejects.toBeInstanceOf(StoreUnavailable);
  });
});
