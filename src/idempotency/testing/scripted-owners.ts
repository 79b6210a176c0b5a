import { randomUUID } from 'node:crypto';
import { expireLease } from '../lease.ts';
import { type Execution, Superseded, type Verdict } from '../operation.ts';
import { operationRefOf } from '../operation-id.ts';
import type { Outcome } from '../outcome.ts';
import type { RetentionStep } from '../ports.ts';
import { idempotencyProblems } from '../problems.ts';
import type { OperationRecord } from '../record.ts';
import type { Ending } from './model.ts';
import { type PostgresEngine, testOperation } from './postgres-engines.ts';

/** An owner in the real engine that makes each step when the test calls it. */
export interface ScriptedOwner {
  readonly execution: Execution<unknown>;
  end(ending: Ending, response: string): Promise<string>;
}

export type ScriptedOwners = ReturnType<typeof createScriptedOwners>;

const operation = testOperation();

/** The real side of the model test: two keys of a tenant, changed only through the engine and its store. */
export function createScriptedOwners({ engine, store, db }: PostgresEngine) {
  const tenantId = randomUUID();
  const keys = [randomUUID(), randomUUID()];
  const scope = (key: number) => ({ tenantId, operation: operation.name, key: keys[key] ?? '' });

  /** Resolves with the owner as soon as it executes, or with the result of a caller that does not. */
  function claim(key: number, command: string, principal: string): Promise<ScriptedOwner | string> {
    return new Promise((resolve, reject) => {
      const request = { tenantId, principal, keyHeader: keys[key], input: { command } };
      const outcome = engine.run(operation, request, (execution) => {
        const verdict = Promise.withResolvers<Verdict<unknown, unknown>>();
        const end = (ending: Ending, response: string) => {
          if (ending === 'throws') verdict.reject(new Error('the handler failed'));
          else verdict.resolve(verdictOf(ending, response));
          return outcome.then(resultOf);
        };
        resolve({ execution, end });
        return verdict.promise;
      });
      outcome.then((ended) => resolve(resultOf(ended)), reject);
    });
  }

  const find = (key: number) => store.findById(operationRefOf(scope(key)));

  async function sweep(key: number): Promise<void> {
    const record = await find(key);
    if (record) await expireLease(store, operation, record, 'sweeper');
  }

  /** The reconciler read the record `behind` attempts ago. */
  async function resolve(
    key: number,
    behind: number,
    to: 'completed' | 'failed_retryable',
    response: string,
  ): Promise<boolean> {
    const record = await find(key);
    if (!record) return false;
    const readRecord = { ...record, attempt: record.attempt - behind };
    return (await engine.resolve(operation, readRecord, verdictOf(to, response), 'reconciler')) !== undefined;
  }

  /** The database's clock cannot be changed, so the lease is. */
  async function letLeaseExpire(key: number): Promise<void> {
    await db.$executeRaw`
      UPDATE idempotency_record SET lease_until = clock_timestamp() - interval '1 hour'
      WHERE tenant_id = ${tenantId} AND operation = ${operation.name} AND key = ${keys[key]} AND status = 'in_progress'`;
  }

  /** Makes one of the record's retention times due, runs the reaper, and moves that time to the far future. */
  async function reap(key: number, step: RetentionStep): Promise<void> {
    const set = (to: string) => db.$executeRaw`
      UPDATE idempotency_record SET
        body_purge_at = CASE WHEN ${step} = 'purge_body' THEN ${to}::timestamptz ELSE body_purge_at END,
        expires_at = CASE WHEN ${step} = 'expire' AND status NOT IN ('in_progress', 'unknown')
          THEN ${to}::timestamptz ELSE expires_at END,
        delete_at = CASE WHEN ${step} = 'delete' THEN ${to}::timestamptz ELSE delete_at END
      WHERE tenant_id = ${tenantId} AND operation = ${operation.name} AND key = ${keys[key]}`;
    await set('-infinity');
    await store.reap(step, 100);
    await set('infinity');
  }

  /** Since the record was last inserted: a deleted key is claimed again under the same id, and its old events stay. */
  async function listEvents({ id }: OperationRecord): Promise<string[]> {
    const rows = await db.$queryRaw<{ event: string }[]>`
      SELECT coalesce(from_status, 'nothing') || ' → ' || to_status || ' #' || attempt || ' @' || recovery_point AS event
      FROM idempotency_event
      WHERE tenant_id = ${tenantId} AND record_id = ${id}::uuid AND id >= (
        SELECT max(id) FROM idempotency_event
        WHERE tenant_id = ${tenantId} AND record_id = ${id}::uuid AND from_status IS NULL)
      ORDER BY id`;
    return rows.map(({ event }) => event);
  }

  /** Everything that the model predicts about a record. */
  async function observe(key: number) {
    const record = await find(key);
    if (!record) return undefined;
    const { status, attempt, recoveryPoint, leaseExpired, effectSent } = record;
    const response = engine.storedResponse(operation, record)?.body;
    const events = await listEvents(record);
    return { status, attempt, point: recoveryPoint, leaseExpired, effectSent, response, events };
  }

  return { claim, sweep, resolve, letLeaseExpire, reap, observe };
}

/** Whether this owner could commit a domain write now. What it writes is rolled back. */
export async function couldWrite({ execution }: ScriptedOwner): Promise<boolean> {
  const rollback = new Error('rolled back on purpose');
  try {
    await execution.phase(execution.recoveryPoint, async () => {
      throw rollback;
    });
  } catch (error) {
    if (error === rollback) return true;
    if (error instanceof Superseded) return false;
    throw error;
  }
  throw new Error('The phase neither wrote nor refused.');
}

function verdictOf<Kind extends Exclude<Ending, 'throws'>>(kind: Kind, response: string) {
  const verdicts = {
    completed: { kind: 'completed', status: 201, body: { response }, cause: 'test' },
    failed_retryable: { kind: 'failed_retryable', problem: { spec: idempotencyProblems.operation_failed } },
    unknown: { kind: 'unknown', code: 'timeout' },
  } as const;
  return verdicts[kind];
}

function resultOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'completed':
      return `${outcome.replayed ? 'replay' : 'response'} ${outcome.response.body}`;
    case 'pending':
      return outcome.status === 'unknown' ? 'operation_unknown' : 'operation_in_progress';
    case 'refused':
      return outcome.problem.spec.code;
  }
}
