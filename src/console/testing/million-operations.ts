import { Prisma } from '#prisma';
import { withClient } from '#run/testing/database.ts';

const { sql } = Prisma;
type Execute = (statement: Prisma.Sql) => Promise<unknown>;

export const bigShop = 'big-shop';
export const otherShop = 'other-shop';

const tables = ['idempotency_record', 'payment', 'refund', 'key_misuse'];

/**
 * A shop with a million operations over ninety days, nearly all of them completed long ago, and a small second shop. As in a
 * real shop, rows are in the order of time, and so are the numbers of orders and the ids of the provider; keys and amounts are
 * not. Sorting is most of what building the indexes costs, and what is in order need not be sorted. The triggers, which guard
 * transitions and write an event for each, are disabled, and the indexes are built afterwards. That takes twenty seconds
 * instead of several minutes.
 */
export async function loadMillionOperations(url: string): Promise<void> {
  // A connection of its own: the server's time out after a few seconds, and some of these statements take longer.
  await withClient(url, async (client) => {
    const execute: Execute = ({ text, values }) => client.query(text, values);
    await client.query(`
      INSERT INTO organization (id, name, slug, created_at)
      VALUES ('${bigShop}', 'Big', 'big', now()), ('${otherShop}', 'Other', 'other', now())`);
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      `SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE i.indrelid = ANY($1::regclass[]) AND NOT i.indisprimary`,
      [tables],
    );
    for (const { name } of indexes) await client.query(`DROP INDEX "${name}"`);
    await client.query('SET session_replication_role = replica');
    // What is written to a table that was truncated in the same transaction is not logged.
    await client.query('BEGIN');
    await client.query(`TRUNCATE ${tables.join(', ')} CASCADE`);
    await insertRecords(execute, bigShop, 1_000_000);
    await insertRecords(execute, otherShop, 20_000);
    await insertMoney(execute);
    await insertMisuses(execute);
    await client.query('COMMIT');
    // An index is sorted in memory. Several processes would share it, take to files, and need more time of the processors.
    await client.query(`SET maintenance_work_mem = '256MB'`);
    await client.query('SET max_parallel_maintenance_workers = 0');
    for (const { definition } of indexes) await client.query(definition);
    for (const table of [...tables, 'reconciliation_exception'])
      await client.query(`VACUUM ANALYZE ${table}`);
  });
}

async function insertRecords(execute: Execute, tenantId: string, count: number): Promise<void> {
  // In the order of the rows, and spread evenly, so that few have the same beginning.
  const prefix = `${tenantId === bigShop ? 'a' : 'b'}0000000-0000-4000-8000-`;
  await execute(sql`
    INSERT INTO idempotency_record (tenant_id, id, operation, key, fingerprint, fingerprint_version, principal, status,
      lease_until, recovery_point, effect_sent, response_status, completed_at, body_purged_at, last_error_code,
      next_check_at, check_count, escalated_at, unknown_since, resolved_at, transition_actor, transition_cause,
      created_at, updated_at)
    SELECT ${tenantId}, (${prefix} || digits)::uuid, kind, 'key-' || md5(n::text), 'f', 1, 'p', status,
      CASE WHEN status = 'in_progress' THEN at + interval '1 minute' END, 'confirm_sent', status = 'unknown',
      CASE WHEN status IN ('completed', 'expired') THEN 201 END,
      CASE WHEN status IN ('completed', 'expired') THEN at END,
      CASE WHEN status IN ('completed', 'expired') THEN at END,
      CASE WHEN status IN ('unknown', 'failed_retryable') OR n % 50 = 0
        THEN (ARRAY['provider_timeout', 'provider_no_response', 'provider_unavailable', 'lease_expired'])[1 + n % 4] END,
      CASE WHEN status = 'unknown' THEN at + interval '1 hour' END, 3,
      CASE WHEN status = 'unknown' AND n % 20 = 3 THEN at + interval '4 days' END,
      CASE WHEN status = 'unknown' OR n % 50 = 0 THEN at END, CASE WHEN status <> 'unknown' AND n % 50 = 0 THEN at END,
      'load', 'load', at, at + interval '2 seconds'
    FROM (
      SELECT n, lpad(to_hex((${count} - n)::bigint * (281474976710656 / ${count})), 12, '0') AS digits,
        now() - (n::float8 / ${count}) * interval '90 days' AS at,
        CASE WHEN n % 33 = 7 THEN 'refund.create' ELSE 'payment.create' END AS kind,
        CASE WHEN n % 250 = 3 THEN 'unknown' WHEN n % 1000 = 1 THEN 'in_progress' WHEN n % 60 = 5 THEN 'failed_retryable'
          WHEN n < ${count} / 8 THEN 'completed' ELSE 'expired' END AS status
      FROM generate_series(${count}::int, 1, -1) AS n) AS load`);
}

async function insertMoney(execute: Execute): Promise<void> {
  await execute(sql`
    INSERT INTO payment (id, tenant_id, operation_id, reference, amount_minor, currency, payment_method, receipt_email,
      status, decline_code, provider_intent_id, provider_charge_id, refunded_minor, created_at, completed_at)
    SELECT id, tenant_id, id, 'ORDER-' || digits, 100 + (hashtext(key) & 1048575), 'eur', 'pm_card_visa',
      'shopper-' || (hashtext(key) & 4095) || '@example.com', status,
      CASE WHEN status = 'declined' THEN 'insufficient_funds' END, 'pi_' || digits || substr(key, 5, 12),
      CASE WHEN status = 'succeeded' THEN 'ch_' || digits || substr(key, 5, 12) END,
      CASE WHEN status = 'succeeded' AND hashtext(key) % 500 = 7 THEN 50 ELSE 0 END, created_at,
      CASE WHEN status IN ('succeeded', 'declined') THEN created_at END
    FROM (
      SELECT id, tenant_id, key, right(id::text, 12) AS digits, created_at,
        CASE WHEN status IN ('unknown', 'in_progress') THEN 'pending' WHEN status = 'failed_retryable' THEN 'released'
          WHEN hashtext(key) % 20 = 0 THEN 'declined' ELSE 'succeeded' END AS status
      FROM idempotency_record WHERE operation = 'payment.create') AS paid`);
  await execute(sql`
    INSERT INTO refund (id, tenant_id, payment_id, operation_id, reference, amount_minor, status, created_at, completed_at)
    SELECT r.id, r.tenant_id, p.id, r.id, r.key, 50,
      CASE WHEN r.status IN ('unknown', 'in_progress') THEN 'pending' WHEN r.status = 'failed_retryable' THEN 'released'
        ELSE 'succeeded' END, r.created_at,
      CASE WHEN r.status IN ('completed', 'expired') THEN r.created_at END
    FROM (SELECT *, row_number() OVER (PARTITION BY tenant_id) AS n FROM idempotency_record WHERE operation = 'refund.create') r
    JOIN (
      SELECT tenant_id, id, row_number() OVER (PARTITION BY tenant_id) AS n FROM payment WHERE status = 'succeeded') p
    USING (tenant_id, n)`);
  await execute(sql`
    INSERT INTO reconciliation_exception (tenant_id, payment_id, intent_id, reason, status, found_at, decided_at)
    SELECT tenant_id, id, provider_intent_id, 'charged_after_release', status, created_at,
      CASE WHEN status <> 'open' THEN created_at END
    FROM (
      SELECT tenant_id, id, provider_intent_id, created_at,
        CASE WHEN hashtext(id::text) % 2 = 0 THEN 'open' ELSE 'dismissed' END AS status
      FROM payment WHERE status IN ('released', 'declined') AND hashtext(reference) % 100 = 1) AS found`);
}

async function insertMisuses(execute: Execute): Promise<void> {
  await execute(sql`
    INSERT INTO key_misuse (record_id, tenant_id, kind, fields, first_at, last_at)
    SELECT id, tenant_id, 'command', 'amountMinor', created_at, created_at
    FROM (SELECT *, row_number() OVER () AS n FROM idempotency_record) AS r WHERE n % 200 = 0`);
}
