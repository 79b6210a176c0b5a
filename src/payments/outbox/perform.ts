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
export const messageKinds = {
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
export type MessageKind = keyof typeof messageKinds;

/**
 * graphile-worker waits e^n seconds after the n-th failure and never more than e^10, which is six hours: 21 attempts
 * span 71 hours. A server that breaks on a Friday evening is still tried on Monday.
 */
export const maxAttempts = 21;

/** `set`: other columns of the row to update. */
export type Effect =
  | { readonly kind: 'done'; readonly set: Prisma.Sql }
  | {
      readonly kind: 'failed';
      readonly error: string;
      /** Trying again cannot help. */
      readonly final?: boolean;
      readonly set?: Prisma.Sql;
    }
  /** It is no longer to be performed, and nothing was: this attempt does not count. */
  | { readonly kind: 'cancelled'; readonly reason: string };

export type PerformResult = 'nothing_to_do' | 'done' | 'given_up' | 'cancelled';

/** Throws when the effect shall be tried again: the job's back-off decides when. */
export async function perform(
  db: PrismaClient,
  subject: MessageKind,
  row: TenantRow,
  effect: () => Promise<Effect>,
): Promise<PerformResult> {
  const number = await takeLease(db, subject, row);
  if (number === undefined) return 'nothing_to_do';
  const result: Effect =
    number > maxAttempts
      ? { kind: 'failed', error: 'No attempt lived long enough to say how it ended.', final: true }
      : await effect();
  if (result.kind === 'done') {
    await markDone(db, subject, row, result.set);
    return 'done';
  }
  if (result.kind === 'cancelled') {
    await markCancelled(db, subject, { ...row, number }, result.reason);
    return 'cancelled';
  }
  const final = result.final === true || number >= maxAttempts;
  await markFailed(db, subject, { ...row, number }, { ...result, final });
  if (final) return 'given_up';
  throw new Error(result.error);
}

async function takeLease(
  db: PrismaClient,
  subject: MessageKind,
  row: TenantRow,
): Promise<number | undefined> {
  const { table, leaseMs } = messageKinds[subject];
  const [taken] = await db.$queryRaw<{ attempts: number }[]>`
    UPDATE ${table} SET attempts = attempts + 1,
      lease_until = clock_timestamp() + ${leaseMs}::int * interval '1 millisecond'
    WHERE ${is(row)} AND status = 'queued' AND (lease_until IS NULL OR lease_until < clock_timestamp())
    RETURNING attempts`;
  if (taken) return taken.attempts;
  const [left] = await db.$queryRaw<{ status: string }[]>`SELECT status FROM ${table} WHERE ${is(row)}`;
  if (left?.status !== 'queued') return undefined;
  // Not done yet, so this job must not be either: its owner may be dead.
  throw new Error('Another worker has the lease; this job is tried again later.');
}

function is({ tenantId, id }: TenantRow): Prisma.Sql {
  return Prisma.sql`tenant_id = ${tenantId} AND id = ${id}::uuid`;
}

/** A message that was sent is sent, also when a superseded attempt reports it. */
async function markDone(
  db: PrismaClient,
  subject: MessageKind,
  row: TenantRow,
  set: Prisma.Sql,
): Promise<void> {
  await db.$executeRaw`
    UPDATE ${messageKinds[subject].table} SET ${set}, lease_until = NULL, last_error = NULL
    WHERE ${is(row)} AND status IN ('queued', 'failed', 'cancelled')`;
}

async function markCancelled(
  db: PrismaClient,
  subject: MessageKind,
  owner: TenantRow & { readonly number: number },
  reason: string,
): Promise<void> {
  await db.$executeRaw`
    UPDATE ${messageKinds[subject].table} SET status = 'cancelled', attempts = attempts - 1,
      lease_until = NULL, last_error = ${reason}
    WHERE ${is(owner)} AND attempts = ${owner.number} AND status = 'queued'`;
}

/** A failure concerns this attempt only: that of a superseded attempt is ignored. */
async function markFailed(
  db: PrismaClient,
  subject: MessageKind,
  owner: TenantRow & { readonly number: number },
  failure: Effect & { kind: 'failed' },
): Promise<void> {
  const also = failure.set ? Prisma.sql`, ${failure.set}` : Prisma.empty;
  await db.$executeRaw`
    UPDATE ${messageKinds[subject].table} SET status = ${failure.final ? 'failed' : 'queued'},
      lease_until = NULL, last_error = ${failure.error} ${also}
    WHERE ${is(owner)} AND attempts = ${owner.number} AND status = 'queued'`;
}
