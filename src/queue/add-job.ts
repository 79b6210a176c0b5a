import { Prisma } from '#prisma';

export interface Job {
  /** The name under which the worker has the task. */
  readonly task: string;
  readonly payload: object;
  /** A job that waits under the same key is replaced; one that a worker has begun is not. */
  readonly key?: string;
  /** graphile-worker pauses longer after each: 25 take nearly four days, and are its default. */
  readonly maxAttempts?: number;
  /** By the database's clock. Now unless given. */
  readonly inMs?: number;
  /** The lowest number goes first. 0 unless given. */
  readonly priority?: number;
  /** How often it has failed before, as another job: its pauses go on from there. 0 unless given. */
  readonly attempts?: number;
}

/**
 * Enqueues a job in the caller's transaction, so that there is never the job without what it is about, nor the other way
 * round. The worker is notified by the commit.
 */
export async function addJob(db: Pick<Prisma.TransactionClient, '$executeRaw'>, job: Job): Promise<void> {
  const added = Prisma.sql`
    graphile_worker.add_job(
      ${job.task}, ${JSON.stringify(job.payload)}::json, job_key => ${job.key ?? null}::text,
      max_attempts => ${job.maxAttempts ?? null}::int, priority => ${job.priority ?? null}::int,
      run_at => clock_timestamp() + ${job.inMs ?? 0}::float8 * interval '1 millisecond')`;
  await (job.attempts
    ? db.$executeRaw`
        SELECT graphile_worker.reschedule_jobs(ARRAY[added.id], attempts => ${job.attempts}::int) FROM ${added} AS added`
    : db.$executeRaw`SELECT ${added}`);
}

/** Many jobs of one task by one statement, to be run now. */
export async function addJobs(
  db: Pick<Prisma.TransactionClient, '$executeRaw'>,
  { task, maxAttempts }: Pick<Job, 'task' | 'maxAttempts'>,
  jobs: readonly Required<Pick<Job, 'payload' | 'key' | 'priority'>>[],
): Promise<void> {
  await db.$executeRaw`
    SELECT graphile_worker.add_job(
      ${task}, job.payload::json, job_key => job.key, max_attempts => ${maxAttempts ?? null}::int,
      priority => job.priority)
    FROM unnest(
      ${jobs.map(({ payload }) => JSON.stringify(payload))}::text[], ${jobs.map(({ key }) => key)}::text[],
      ${jobs.map(({ priority }) => priority)}::int[]) AS job (payload, key, priority)`;
}

/** The same as an expression of a set-based statement. `payload` and `key` are SQL, in terms of the statement's columns. */
export function addJobSql(job: {
  readonly task: string;
  readonly payload: string;
  readonly key: string;
  readonly priority: number;
}): string {
  return `graphile_worker.add_job('${job.task}', ${job.payload}, job_key => ${job.key}, priority => ${job.priority})`;
}
