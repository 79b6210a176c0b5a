import { Prisma, type PrismaClient } from '#prisma';
import type { BodyKeyRequest, Claim, IdempotencyStore, RetentionStep, Transition } from '../ports.ts';
import { firstRecoveryPoint, type OperationRef, type Scope } from '../record.ts';
import { translateErrors } from './prisma-errors.ts';
import { listMisuses, recordMisuse } from './prisma-misuse.ts';
import { firstRecord, type RecordRow, recordColumns } from './prisma-row.ts';

export { createListener, type Listener } from './postgres-listener.ts';
export { createPostgresSignal } from './postgres-signal.ts';
export { createCheckQueue } from './prisma-check-queue.ts';
export { isDatabaseUnavailable, sqlState } from './prisma-errors.ts';

type Tx = Prisma.TransactionClient;

/**
 * The store on PostgreSQL. Every decision is one atomic statement. All times are `clock_timestamp()`, because `now()` does
 * not advance while a statement waits for a row lock. Only the selection of due rows compares with
 * `statement_timestamp()`: it skips locked rows and so never waits, and no index can be searched by a volatile function.
 */
export function createPrismaStore(db: PrismaClient): IdempotencyStore<Tx> {
  return {
    insert: (claim) => translateErrors(async () => firstRecord(await insert(db, claim))),
    find: (scope) => translateErrors(async () => firstRecord(await find(db, scope))),
    findById: (ref) => translateErrors(async () => firstRecord(await findById(db, ref))),
    transition: (transition, writes) =>
      translateErrors(async () => {
        if (!writes) return firstRecord(await update(db, transition));
        return db.$transaction(async (tx) => {
          // The update comes first: it takes the row lock, so the domain writes of a superseded owner do not run.
          const updated = firstRecord(await update(tx, transition));
          if (updated) await writes(tx);
          return updated;
        });
      }),
    bodyKey: (request) => translateErrors(() => bodyKey(db, request)),
    recordMisuse: (ref, misuse) => translateErrors(() => recordMisuse(db, ref, misuse)),
    listMisuses: (ref) => translateErrors(() => listMisuses(db, ref)),
    reap: (step, limit) => translateErrors(() => reap(db, step, limit)),
  };
}

function insert(db: Tx, claim: Claim): Promise<RecordRow[]> {
  return db.$queryRaw`
    INSERT INTO idempotency_record (
      tenant_id, operation, key, fingerprint, fingerprint_version, field_digests, principal, status, attempt,
      lease_until, recovery_point, effect_sent, transition_actor, transition_cause)
    VALUES (
      ${claim.tenantId}, ${claim.operation}, ${claim.key}, ${claim.fingerprint}, ${claim.fingerprintVersion},
      ${JSON.stringify(claim.fieldDigests)}::jsonb, ${claim.principal}, 'in_progress', 1, clock_timestamp() + ${claim.leaseMs}::int * interval '1 millisecond',
      ${firstRecoveryPoint}, ${claim.effectSent}, 'request', 'claimed')
    ON CONFLICT (tenant_id, operation, key) DO NOTHING
    RETURNING ${recordColumns}`;
}

function find(db: Tx, scope: Scope): Promise<RecordRow[]> {
  return db.$queryRaw`
    SELECT ${recordColumns} FROM idempotency_record
    WHERE tenant_id = ${scope.tenantId} AND operation = ${scope.operation} AND key = ${scope.key}`;
}

function findById(db: Tx, { tenantId, id }: OperationRef): Promise<RecordRow[]> {
  return db.$queryRaw`
    SELECT ${recordColumns} FROM idempotency_record WHERE tenant_id = ${tenantId} AND id = ${id}::uuid`;
}

function update(db: Tx, transition: Transition): Promise<RecordRow[]> {
  const { record, when, response, resource, reason } = transition;
  return db.$queryRaw`
    UPDATE idempotency_record SET
      status = ${transition.to},
      attempt = attempt + ${transition.nextAttempt ? 1 : 0}::int,
      lease_until = CASE WHEN ${transition.to} = 'in_progress'
        THEN coalesce(${msFromNow(transition.leaseMs)}, lease_until) END,
      recovery_point = coalesce(${transition.recoveryPoint ?? null}, recovery_point),
      effect_sent = coalesce(${transition.effectSent ?? null}::boolean, effect_sent),
      response_status = coalesce(${response?.status ?? null}::int, response_status),
      response_body = coalesce(${response?.body ?? null}::bytea, response_body),
      response_key_id = coalesce(${response?.keyId ?? null}, response_key_id),
      response_schema_version = coalesce(${response?.schemaVersion ?? null}::int, response_schema_version),
      resource_type = coalesce(${resource?.type ?? null}, resource_type),
      resource_id = coalesce(${resource?.id ?? null}, resource_id),
      last_error_code = coalesce(${transition.errorCode ?? null}, last_error_code),
      next_check_at = CASE WHEN ${transition.to} = 'unknown'
        THEN coalesce(${msFromNow(transition.reconcileInMs)}, next_check_at) END,
      escalated_at = CASE WHEN ${transition.to} = 'unknown' THEN escalated_at END,
      check_count = CASE WHEN ${transition.nextAttempt ?? false}::boolean THEN 0 ELSE check_count END,
      last_checked_at = CASE WHEN ${transition.nextAttempt ?? false}::boolean THEN NULL ELSE last_checked_at END,
      scheduled_check_at = CASE WHEN ${transition.nextAttempt ?? false}::boolean THEN NULL ELSE scheduled_check_at END,
      expires_at = CASE WHEN ${transition.to} IN ('in_progress', 'unknown') THEN NULL
        ELSE coalesce(${msFromNow(transition.retention?.replayMs)}, expires_at) END,
      body_purge_at = coalesce(${msFromNow(transition.retention?.bodyMs)}, body_purge_at),
      delete_at = coalesce(${msFromNow(transition.retention?.metadataMs)}, delete_at),
      completed_at = CASE WHEN ${transition.to} = 'completed' THEN clock_timestamp() ELSE completed_at END,
      transition_actor = ${reason.actor},
      transition_cause = ${reason.cause},
      transition_evidence = ${reason.evidence ? JSON.stringify(reason.evidence) : null}::jsonb,
      updated_at = clock_timestamp()
    WHERE tenant_id = ${record.tenantId} AND id = ${record.id}::uuid
      AND status = ANY(${when.status}::text[])
      AND attempt = ${when.attempt}
      AND (NOT ${when.leaseExpired ?? false}::boolean OR lease_until <= clock_timestamp())
    RETURNING ${recordColumns}`;
}

/**
 * The window of a command is one row, so its renewal is decided under that row's lock. It is not renewed while the last
 * operation of the old window is unresolved, because a second one would then execute beside it.
 */
async function bodyKey(db: Tx, request: BodyKeyRequest): Promise<string> {
  for (let tries = 0; tries < 3; tries++) {
    const renewed = await db.$queryRaw<{ key: string }[]>`
      INSERT INTO idempotency_body_window AS w (tenant_id, operation, fingerprint, key, ends_at)
      VALUES (${request.tenantId}, ${request.operation}, ${request.fingerprint},
        'body-' || ${request.fingerprint} || '-' || (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
        ${msFromNow(request.windowMs)})
      ON CONFLICT (tenant_id, operation, fingerprint) DO UPDATE SET key = excluded.key, ends_at = excluded.ends_at
        WHERE w.ends_at <= clock_timestamp() AND NOT ${isUnresolved}
      RETURNING key`;
    if (renewed[0]) return renewed[0].key;
    const current = await db.$queryRaw<{ key: string }[]>`
      SELECT key FROM idempotency_body_window
      WHERE tenant_id = ${request.tenantId} AND operation = ${request.operation} AND fingerprint = ${request.fingerprint}`;
    if (current[0]) return current[0].key;
  }
  throw new Error(
    'The window of a command without a key was deleted between the insert and the read, three times.',
  );
}

const isUnresolved = Prisma.sql`EXISTS (
  SELECT FROM idempotency_record r
  WHERE r.tenant_id = w.tenant_id AND r.operation = w.operation AND r.key = w.key
    AND r.status IN ('in_progress', 'unknown'))`;

/**
 * Locked rows are skipped, so that the reaper never waits for a request. The due rows are selected in a materialized CTE:
 * PostgreSQL may execute a subquery that locks rows again for every outer row, and would then exceed the limit.
 */
async function reap(db: Tx, step: RetentionStep, limit: number): Promise<number> {
  switch (step) {
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
          WHERE w.ends_at <= statement_timestamp() AND NOT ${isUnresolved}
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

function msFromNow(ms: number | undefined): Prisma.Sql {
  return Prisma.sql`clock_timestamp() + ${ms ?? null}::bigint * interval '1 millisecond'`;
}
