import { Prisma, type PrismaClient } from '#prisma';
import type { TenantRow } from './jobs.ts';

/**
 * How a row that was made durable is performed.
 *
 * - `queued` and not leased: a worker takes the lease and counts the attempt, commits both, and only then performs it. No
 *   transaction is open meanwhile.
 * - `queued` and leased: a worker performs it, or died. No other worker performs it before the lease expires.
 * - anything else: over. A duplicate job finds nothing to do.
 *
 * A worker that dies between the effect and its commit leaves a lease that expires, and the effect is performed once more
 * under the same id. That is at-least-once delivery; the receiver deduplicates by the id.
 */
export const subjects = {
  email: {
    table: Prisma.raw('email'),
    // About ten round trips make up an SMTP session, each bounded by ten seconds of silence.
    leaseMs: 120_000,
  },
  delivery: {
    table: Prisma.raw('merchant_webhook_delivery'),
    // Three times the ten seconds after which a request is given up.
    leaseMs: 30_000,
  },
} as const;
export type Subject = keyof typeof subjects;

/**
 * graphile-worker waits e^n seconds after the n-th failure and never more than e^10, which is six hours: 21 attempts
 * span 71 hours. A server that breaks on a Friday evening is heard again on Monday.
 */
export const maxAttempts = 21;

/** `set` is what else the row shall say. */
export type Effect =
  | { readonly kind: 'done'; readonly set: Prisma.Sql }
  | {
      readonly kind: 'failed';
      readonly error: string;
      /** Trying again can not help. */
      readonly final?: boolean;
      readonly set?: Prisma.Sql;
    };

export type Attempt = 'nothing_to_do' | 'done' | 'given_up';

/** Throws when the effect shall be tried again: the job's back-off decides when. */
export async function attempt(
  db: PrismaClient,
  subject: Subject,
  row: TenantRow,
  effect: () => Promise<Effect>,
): Promise<Attempt> {
  const number = await claim(db, subject, row);
  if (number === undefined) return 'nothing_to_do';
  const result: Effect =
    number > maxAttempts
      ? { kind: 'failed', error: 'No attempt lived long enough to say how it ended.', final: true }
      : await effect();
  if (result.kind === 'done') {
    await markDone(db, subject, row, result.set);
    return 'done';
  }
  const final = result.final === true || number >= maxAttempts;
  await markFailed(db, subject, { ...row, number }, { ...result, final });
  if (final) return 'given_up';
  throw new Error(result.error);
}

async function claim(db: PrismaClient, subject: Subject, row: TenantRow): Promise<number | undefined> {
  const { table, leaseMs } = subjects[subject];
  const [claimed] = await db.$queryRaw<{ attempts: number }[]>`
    UPDATE ${table} SET attempts = attempts + 1,
      lease_until = clock_timestamp() + ${leaseMs}::int * interval '1 millisecond'
    WHERE ${is(row)} AND status = 'queued' AND (lease_until IS NULL OR lease_until < clock_timestamp())
    RETURNING attempts`;
  if (claimed) return claimed.attempts;
  const [left] = await db.$queryRaw<{ status: string }[]>`SELECT status FROM ${table} WHERE ${is(row)}`;
  if (left?.status !== 'queued') return undefined;
  // Not done yet, so this job must not be either: its owner may be dead.
  throw new Error('Another worker has the lease; this job is tried again later.');
}

function is({ tenantId, id }: TenantRow): Prisma.Sql {
  return Prisma.sql`tenant_id = ${tenantId} AND id = ${id}::uuid`;
}

/** A message that was sent is sent, also when a superseded attempt reports it. */
async function markDone(db: PrismaClient, subject: Subject, row: TenantRow, set: Prisma.Sql): Promise<void> {
  await db.$executeRaw`
    UPDATE ${subjects[subject].table} SET ${set}, lease_until = NULL, last_error = NULL
    WHERE ${is(row)} AND status IN ('queued', 'failed')`;
}

/** A failure concerns this attempt only: that of a superseded attempt is ignored. */
async function markFailed(
  db: PrismaClient,
  subject: Subject,
  owner: TenantRow & { readonly number: number },
  failure: Effect & { kind: 'failed' },
): Promise<void> {
  const also = failure.set ? Prisma.sql`, ${failure.set}` : Prisma.empty;
  await db.$executeRaw`
    UPDATE ${subjects[subject].table} SET status = ${failure.final ? 'failed' : 'queued'},
      lease_until = NULL, last_error = ${failure.error} ${also}
    WHERE ${is(owner)} AND attempts = ${owner.number} AND status = 'queued'`;
}
