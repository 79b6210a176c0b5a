import { randomUUID } from 'node:crypto';
import { expireLease } from '../lease.ts';
import { type Execution, Superseded, type Verdict } from '../operation.ts';
import type { Outcome } from '../outcome.ts';
import type { Reaping } from '../ports.ts';
import { idempotencyProblems } from '../problems.ts';
import type { OperationRecord } from '../record.ts';
import type { Ending } from './model.ts';
import { anOperation, type PostgresEngine } from './postgres-engines.ts';

/** An owner on strings: granted by the real engine, it does what the test says, when the test says. */
export interface Puppet {
  readonly execution: Execution<unknown>;
  end(ending: Ending, answer: string): Promise<string>;
}

export type Puppets = ReturnType<typeof createPuppets>;

const operation = anOperation();

/** The real side of the model test: a few keys of one tenant, reached through the engine and its store only. */
export function createPuppets({ engine, store, db }: PostgresEngine) {
  const tenantId = randomUUID();
  const keys = [randomUUID(), randomUUID()];
  const scope = (key: number) => ({ tenantId, operation: operation.name, key: keys[key] ?? '' });

  /** Resolves with the owner as soon as it executes, or with what the caller was told instead. */
  function claim(key: number, command: string, principal: string): Promise<Puppet | string> {
    return new Promise((resolve, reject) => {
      const request = { tenantId, principal, keyHeader: keys[key], input: { command } };
      const outcome = engine.run(operation, request, (execution) => {
        const verdict = Promise.withResolvers<Verdict<unknown, unknown>>();
        const end = (ending: Ending, answer: string) => {
          if (ending === 'throws') verdict.reject(new Error('the handler broke'));
          else verdict.resolve(verdictOf(ending, answer));
          return outcome.then(told);
        };
        resolve({ execution, end });
        return verdict.promise;
      });
      outcome.then((ended) => resolve(told(ended)), reject);
    });
  }

  const find = (key: number) => store.find(scope(key));

  async function sweep(key: number): Promise<void> {
    const record = await find(key);
    if (record) await expireLease(store, operation, record, 'sweeper');
  }

  /** `behind`: by somebody who read the record that many attempts ago. */
  async function settle(
    key: number,
    behind: number,
    to: 'completed' | 'failed_retryable',
    answer: string,
  ): Promise<boolean> {
    const record = await find(key);
    if (!record) return false;
    const read = { ...record, attempt: record.attempt - behind };
    return (await engine.settle(operation, read, verdictOf(to, answer), 'reconciler')) !== undefined;
  }

  /** The time machine: the database's clock cannot be turned, so what it is compared with is. */
  async function letLeaseRunOut(key: number): Promise<void> {
    await db.$executeRaw`
      UPDATE idempotency_record SET lease_until = clock_timestamp() - interval '1 hour'
      WHERE key = ${keys[key]} AND tenant_id = ${tenantId} AND status = 'in_progress'`;
  }

  /** Makes a record as old as can be in one respect, lets the reaper come by, and makes it young again. */
  async function age(key: number, how: Reaping): Promise<void> {
    const set = (to: string) => db.$executeRaw`
      UPDATE idempotency_record SET
        body_purge_at = CASE WHEN ${how} = 'purge_body' THEN ${to}::timestamptz ELSE body_purge_at END,
        expires_at = CASE WHEN ${how} = 'expire' AND status NOT IN ('in_progress', 'unknown')
          THEN ${to}::timestamptz ELSE expires_at END,
        delete_at = CASE WHEN ${how} = 'delete' THEN ${to}::timestamptz ELSE delete_at END
      WHERE key = ${keys[key]} AND tenant_id = ${tenantId}`;
    await set('-infinity');
    await store.reap(how, 100);
    await set('infinity');
  }

  async function events(record: OperationRecord): Promise<string[]> {
    const rows = await db.idempotencyEvent.findMany({
      where: { recordId: record.id },
      orderBy: { id: 'asc' },
    });
    return rows.map(
      ({ fromStatus, toStatus, attempt, recoveryPoint }) =>
        `${fromStatus ?? 'nothing'} → ${toStatus} #${attempt} @${recoveryPoint}`,
    );
  }

  /** Everything of a record that the model has an opinion on. */
  async function observe(key: number) {
    const record = await find(key);
    if (!record) return undefined;
    const { status, attempt, recoveryPoint, leaseExpired, effectSent } = record;
    const answer = engine.open(operation, record)?.body;
    const log = await events(record);
    return { status, attempt, point: recoveryPoint, stale: leaseExpired, effectSent, answer, events: log };
  }

  return { claim, sweep, settle, letLeaseRunOut, age, observe };
}

/** Whether this owner could commit a domain write at this moment; what it writes is rolled back. */
export async function couldWrite({ execution }: Puppet): Promise<boolean> {
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

function verdictOf<Kind extends Exclude<Ending, 'throws'>>(kind: Kind, answer: string) {
  const verdicts = {
    completed: { kind: 'completed', status: 201, body: { answer }, cause: 'test' },
    failed_retryable: { kind: 'failed_retryable', problem: { spec: idempotencyProblems.operation_failed } },
    unknown: { kind: 'unknown', code: 'timeout' },
  } as const;
  return verdicts[kind];
}

function told(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'answered':
      return `${outcome.replayed ? 'replay' : 'answer'} ${outcome.answer.body}`;
    case 'pending':
      return outcome.why === 'unknown' ? 'operation_unknown' : 'running';
    case 'refused':
      return outcome.problem.spec.code;
  }
}
