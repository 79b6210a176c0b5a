import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CARD_ONLY, chargesOf, failure, type Harness, openHarness } from './testing/harness.ts';

let harness: Harness;
let inspector: pg.Client;
beforeAll(async () => {
  harness = await openHarness();
  inspector = new pg.Client({ connectionString: harness.database.url, application_name: 'inspector' });
  await inspector.connect();
});
afterAll(async () => {
  await inspector.end();
  await harness.close();
});

/** The session that commits a confirm and waits for the inspector's lock. The sandbox's pruning may wait for it as well. */
async function blockedSession(): Promise<number> {
  const blocked = async () => {
    // Within a transaction the list of sessions is read once and kept.
    await inspector.query('SELECT pg_stat_clear_snapshot()');
    const { rows } = await inspector.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
       WHERE datname = current_database() AND pg_backend_pid() = ANY (pg_blocking_pids(pid))
         AND query LIKE 'WITH locked_intents%'`,
    );
    return rows.map(({ pid }) => pid);
  };
  await expect.poll(blocked, { timeout: 15_000 }).toHaveLength(1);
  return (await blocked())[0] as number;
}

test.each(['idempotency_keys', 'events'])(
  'a crash before %s is written rolls the charge back, and a retry charges once',
  async (table) => {
    const intent = await harness.stripe.paymentIntents.create({
      ...CARD_ONLY,
      amount: 700,
      currency: 'usd',
      payment_method: 'pm_card_visa',
    });
    const confirm = (key: string) =>
      harness.stripe.paymentIntents.confirm(intent.id, {}, { idempotencyKey: key, timeout: 20_000 });
    const key = randomUUID();

    // The lock lets readers pass and blocks writers: the request runs up to its first write to the table and waits there.
    await inspector.query('BEGIN');
    await inspector.query(`LOCK TABLE ${table} IN EXCLUSIVE MODE`);
    const interrupted = failure(confirm(key));
    try {
      const session = await blockedSession();
      expect(await chargesOf(harness, intent.id)).toEqual([]);
      await inspector.query('SELECT pg_terminate_backend($1)', [session]);
    } finally {
      await inspector.query('ROLLBACK');
    }

    expect((await interrupted).statusCode).toBe(500);
    expect(await chargesOf(harness, intent.id)).toEqual([]);
    const paid = await confirm(key);
    expect(paid.status).toBe('succeeded');
    expect(paid.lastResponse.headers['idempotent-replayed']).toBeUndefined();
    expect(await chargesOf(harness, intent.id)).toHaveLength(1);
  },
);
