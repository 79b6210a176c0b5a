import { Prisma, type PrismaClient } from '#prisma';
import type { BodyKeyRequest, Claim, IdempotencyStore, Move, Reaping } from '../ports.ts';
import { firstRecoveryPoint, type OperationRef, type Scope } from '../record.ts';
import { guarded } from './prisma-errors.ts';
import { misusesOf, noteMisuse } from './prisma-misuse.ts';
import { columns, one, type Row } from './prisma-row.ts';

export { createPostgresSignal } from './postgres-signal.ts';
export { createCheckQueue } from './prisma-check-queue.ts';
export { isDatabaseTrouble, sqlState } from './prisma-errors.ts';

type Tx = Prisma.TransactionClient;

/**
 * The store on PostgreSQL. The SQL of the record is in this file: every decision is one atomic statement, and all time is
 * `clock_timestamp()`, because `now()` stands still while a statement waits for a row lock. Only the selection of due rows
 * compares with `statement_timestamp()`: it skips locked rows instead of waiting, and an index cannot be searched by a
 * volatile function.
 */
export function createPrismaStore(db: PrismaClient): IdempotencyStore<Tx> {
  return {
    insert: (claim) => guarded(async () => one(await insert(db, claim))),
    find: (scope) => guarded(async () => one(await find(db, scope))),
    findById: (ref) => guarded(async () => one(await findById(db, ref))),
    move: (move, writes) =>
      guarded(async () => {
        if (!writes) return one(await update(db, move));
        return db.$transaction(async (tx) => {
          // The fenced update goes first: it takes the row lock, so a superseded mover stops before its writes.
          const moved = one(await update(tx, move));
          if (moved) await writes(tx);
          return moved;
        });
      }),
    bodyKey: (of) => guarded(() => bodyKey(db, of)),
    noteMisuse: (ref, misuse) => guarded(() => noteMisuse(db, ref, misuse)),
    misusesOf: (ref) => guarded(() => misusesOf(db, ref)),
    reap: (reaping, limit) => guarded(() => reap(db, reaping, limit)),
  };
}

function insert(db: Tx, claim: Claim): Promise<Row[]> {
  return db.$queryRaw`
    INSERT INTO idempotency_record (
      tenant_id, operation, key, fingerprint, fingerprint_version, field_digests, principal, status, attempt,
      lease_until, recovery_point, effect_sent, transition_actor, transition_cause)
    VALUES (
      ${claim.tenantId}, ${claim.operation}, ${claim.key}, ${claim.fingerprint}, ${claim.fingerprintVersion},
      ${JSON.stringify(claim.fieldDigests)}::jsonb, ${claim.principal}, 'in_progress', 1, clock_timestamp() + ${claim.leaseMs}::int * interval '1 millisecond',
      ${firstRecoveryPoint}, ${claim.effectSent}, 'request', 'claimed')
    ON CONFLICT (tenant_id, operation, key) DO NOTHING
    RETURNING ${columns}`;
}

function find(db: Tx, scope: Scope): Promise<Row[]> {
  return db.$queryRaw`
    SELECT ${columns} FROM idempotency_record
    WHERE tenant_id = ${scope.tenantId} AND operation = ${scope.operation} AND key = ${scope.key}`;
}

function findById(db: Tx, { tenantId, id }: OperationRef): Promise<Row[]> {
  return db.$queryRaw`
    SELECT ${columns} FROM idempotency_record WHERE tenant_id = ${tenantId} AND id = ${id}::uuid`;
}

function update(db: Tx, move: Move): Promise<Row[]> {
  const { record, when, response, resource, because } = move;
  return db.$queryRaw`
    UPDATE idempotency_record SET
      status = ${move.to},
      attempt = attempt + ${move.nextAttempt ? 1 : 0}::int,
      lease_until = CASE WHEN ${move.to} = 'in_progress'
        THEN coalesce(${after(move.leaseMs)}, lease_until) END,
      recovery_point = coalesce(${move.recoveryPoint ?? null}, recovery_point),
      effect_sent = coalesce(${move.effectSent ?? null}::boolean, effect_sent),
      response_status = coalesce(${response?.status ?? null}::int, response_status),
      response_body = coalesce(${response?.body ?? null}::bytea, response_body),
      response_key_id = coalesce(${response?.keyId ?? null}, response_key_id),
      response_schema_version = coalesce(${response?.schemaVersion ?? null}::int, response_schema_version),
      resource_type = coalesce(${resource?.type ?? null}, resource_type),
      resource_id = coalesce(${resource?.id ?? null}, resource_id),
      last_error_code = coalesce(${move.errorCode ?? null}, last_error_code),
      next_check_at = CASE WHEN ${move.to} = 'unknown'
        THEN coalesce(${after(move.reconcileInMs)}, next_check_at) END,
      escalated_at = CASE WHEN ${move.to} = 'unknown' THEN escalated_at END,
      check_count = CASE WHEN ${move.nextAttempt ?? false}::boolean THEN 0 ELSE check_count END,
      last_checked_at = CASE WHEN ${move.nextAttempt ?? false}::boolean THEN NULL ELSE last_checked_at END,
      scheduled_check_at = CASE WHEN ${move.nextAttempt ?? false}::boolean THEN NULL ELSE scheduled_check_at END,
      expires_at = CASE WHEN ${move.to} IN ('in_progress', 'unknown') THEN NULL
        ELSE coalesce(${after(move.retention?.replayMs)}, expires_at) END,
      body_purge_at = coalesce(${after(move.retention?.bodyMs)}, body_purge_at),
      delete_at = coalesce(${after(move.retention?.metadataMs)}, delete_at),
      completed_at = CASE WHEN ${move.to} = 'completed' THEN clock_timestamp() ELSE completed_at END,
      transition_actor = ${because.actor},
      transition_cause = ${because.cause},
      transition_evidence = ${because.evidence ? JSON.stringify(because.evidence) : null}::jsonb,
      updated_at = clock_timestamp()
    WHERE tenant_id = ${record.tenantId} AND id = ${record.id}::uuid
      AND status = ANY(${when.status}::text[])
      AND attempt = ${when.attempt}
      AND (NOT ${when.leaseExpired ?? false}::boolean OR lease_until <= clock_timestamp())
    RETURNING ${columns}`;
}

/**
 * The window of a command is one row, so its renewal is decided under that row's lock. It is not renewed while the last
 * operation of the old window is unresolved: a new key would execute beside an unknown outcome.
 */
async function bodyKey(db: Tx, of: BodyKeyRequest): Promise<string> {
  for (let tries = 0; tries < 3; tries++) {
    const rolled = await db.$queryRaw<{ key: string }[]>`
      INSERT INTO idempotency_body_window AS w (tenant_id, operation, fingerprint, key, ends_at)
      VALUES (${of.tenantId}, ${of.operation}, ${of.fingerprint},
        'body-' || ${of.fingerprint} || '-' || (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
        ${after(of.windowMs)})
      ON CONFLICT (tenant_id, operation, fingerprint) DO UPDATE SET key = excluded.key, ends_at = excluded.ends_at
        WHERE w.ends_at <= clock_timestamp() AND NOT ${unresolved}
      RETURNING key`;
    if (rolled[0]) return rolled[0].key;
    const current = await db.$queryRaw<{ key: string }[]>`
      SELECT key FROM idempotency_body_window
      WHERE tenant_id = ${of.tenantId} AND operation = ${of.operation} AND fingerprint = ${of.fingerprint}`;
    if (current[0]) return current[0].key;
  }
  throw new Error(
    'The window of a command without a key was deleted between the insert and the read, three times.',
  );
}

const unresolved = Prisma.sql`EXISTS (
  SELECT FROM idempotency_record r
  WHERE r.tenant_id = w.tenant_id AND r.operation = w.operation AND r.key = w.key
    AND r.status IN ('in_progress', 'unknown'))`;

/**
 * Locked rows are skipped, so that the reaper never waits for a claim. The due rows are chosen in a materialized CTE: a
 * subquery that locks rows may be executed again for every outer row, and then `limit` would not hold.
 */
async function reap(db: Tx, reaping: Reaping, limit: number): Promise<number> {
  switch (reaping) {
    case 'purge_body':
      return db.$executeRaw`
        WITH due AS MATERIALIZED (
          SELECT tenant_id, id FROM idempotency_record
          WHERE response_body IS NOT NULL AND body_purge_at <= statement_timestamp()
          ORDER BY body_purge_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
        UPDATE idempotency_record
        SET response_body = NULL, response_key_id = NULL, body_purged_at = clock_timestamp()
        WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM due)`;
    case 'expire':
      return db.$executeRaw`
        WITH due AS MATERIALIZED (
          SELECT tenant_id, id FROM idempotency_record
          WHERE status IN ('completed', 'failed_retryable') AND expires_at <= statement_timestamp()
          ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
        UPDATE idempotency_record
        SET status = 'expired', transition_actor = 'reaper', transition_cause = 'replay_window_over',
          transition_evidence = NULL, updated_at = clock_timestamp()
        WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM due)`;
    case 'delete':
      await db.$executeRaw`
        WITH due AS MATERIALIZED (
          SELECT w.tenant_id, w.operation, w.fingerprint FROM idempotency_body_window w
          WHERE w.ends_at <= statement_timestamp() AND NOT ${unresolved}
          ORDER BY w.ends_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
        DELETE FROM idempotency_body_window
        WHERE (tenant_id, operation, fingerprint) IN (SELECT tenant_id, operation, fingerprint FROM due)`;
      return db.$executeRaw`
        WITH due AS MATERIALIZED (
          SELECT tenant_id, id FROM idempotency_record
          WHERE status = 'expired' AND delete_at <= statement_timestamp()
          ORDER BY delete_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
        DELETE FROM idempotency_record WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM due)`;
  }
}

function after(ms: number | undefined): Prisma.Sql {
  return Prisma.sql`clock_timestamp() + ${ms ?? null}::bigint * interval '1 millisecond'`;
}
