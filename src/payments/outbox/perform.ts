import { Prisma, type PrismaClient } from '#prisma';

/**
 * How a row that was made durable is performed.
 *
 * - `queued` and not leased: whoever takes the lease counts the attempt, commits both, and only then performs it. No
 *   transaction is open meanwhile.
 * - `queued` and leased: somebody is at it, or died at it. Nobody else performs it before the lease is over.
 * - anything else: over. A doubled job finds nothing to do.
 *
 * A sender that dies between the effect and writing it down leaves a lease that runs out, and the effect is performed
 * once more under the same id. That is at-least-once, and the receiver can tell.
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
  id: string,
  effect: () => Promise<Effect>,
): Promise<Attempt> {
  const number = await claim(db, subject, id);
  if (number === undefined) return 'nothing_to_do';
  const result: Effect =
    number > maxAttempts
      ? { kind: 'failed', error: 'No attempt lived long enough to say how it ended.', final: true }
      : await effect();
  if (result.kind === 'done') {
    await markDone(db, subject, id, result.set);
    return 'done';
  }
  const final = result.final === true || number >= maxAttempts;
  await markFailed(db, subject, { id, number }, { ...result, final });
  if (final) return 'given_up';
  throw new Error(result.error);
}

async function claim(db: PrismaClient, subject: Subject, id: string): Promise<number | undefined> {
  const { table, leaseMs } = subjects[subject];
  const [claimed] = await db.$queryRaw<{ attempts: number }[]>`
    UPDATE ${table} SET attempts = attempts + 1,
      lease_until = clock_timestamp() + ${leaseMs}::int * interval '1 millisecond'
    WHERE id = ${id}::uuid AND status = 'queued' AND (lease_until IS NULL OR lease_until < clock_timestamp())
    RETURNING attempts`;
  if (claimed) return claimed.attempts;
  const [left] = await db.$queryRaw<{ status: string }[]>`SELECT status FROM ${table} WHERE id = ${id}::uuid`;
  if (left?.status !== 'queued') return undefined;
  // Not done yet, so this job must not be either: its owner may be dead.
  throw new Error('Another worker has it; looking again later.');
}

/** That it has left is true whoever says so, and however late. */
async function markDone(db: PrismaClient, subject: Subject, id: string, set: Prisma.Sql): Promise<void> {
  await db.$executeRaw`
    UPDATE ${subjects[subject].table} SET ${set}, lease_until = NULL, last_error = NULL
    WHERE id = ${id}::uuid AND status IN ('queued', 'failed')`;
}

/** That it has not left is true of this attempt only: one that was superseded says nothing. */
async function markFailed(
  db: PrismaClient,
  subject: Subject,
  owner: { readonly id: string; readonly number: number },
  failure: Effect & { kind: 'failed' },
): Promise<void> {
  const also = failure.set ? Prisma.sql`, ${failure.set}` : Prisma.empty;
  await db.$executeRaw`
    UPDATE ${subjects[subject].table} SET status = ${failure.final ? 'failed' : 'queued'},
      lease_until = NULL, last_error = ${failure.error} ${also}
    WHERE id = ${owner.id}::uuid AND attempts = ${owner.number} AND status = 'queued'`;
}
