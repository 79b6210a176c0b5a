import { createHash } from 'node:crypto';
import type { Prisma } from '#prisma';

/**
 * Slows down guessing at an account. An attempt is counted before it is made, in one statement, so that a thousand at once
 * are limited like a thousand in a row; a success resets the count. An account that does not exist is locked in the same
 * way, so that a lock does not reveal whether it does.
 *
 * There are three counts, so that guessing from one place does not lock out a person who is somewhere else: of a browser in
 * which the person has signed in before; of an account from one network; and of an account from all networks together,
 * without its known browsers.
 */

/** A person mistypes a few times. */
const freeAttempts = 5;
/** From all networks together: four of them, or one person who keeps changing between networks. */
const freeAttemptsOfAccount = 20;
/**
 * Then each further attempt locks for longer. A quarter of an hour is enough: four guesses an hour find no password of
 * twelve characters and, of a million codes, none in a lifetime. Longer would only help those who lock others out.
 */
const lockSeconds = [60, 120, 240, 480, 900];
/** A count is reset after a day without attempts. */
const resetAfter = '1 day';

export type Factor = 'password' | 'second_factor';
/** Where an attempt comes from. */
export type Origin = { readonly device: string } | { readonly network: string };
export type Admission =
  | { readonly kind: 'admitted' }
  | { readonly kind: 'locked'; readonly retryAfterSeconds: number };

/** Counts the attempt wherever it counts. One that is refused in the narrower count is not counted in the wider one. */
export async function beginAttempt(
  db: Prisma.TransactionClient,
  factor: Factor,
  who: string,
  from: Origin,
): Promise<Admission> {
  for (const { subject, free } of countsOf(factor, who, from)) {
    const admission = await count(db, subject, free);
    if (admission.kind === 'locked') return admission;
  }
  return { kind: 'admitted' };
}

async function count(db: Prisma.TransactionClient, subject: string, free: number): Promise<Admission> {
  const admitted = await db.$executeRaw`
    INSERT INTO sign_in_lock AS held (subject, attempts, attempted_at)
    VALUES (${subject}, 1, clock_timestamp())
    ON CONFLICT (subject) DO UPDATE SET
      attempted_at = clock_timestamp(),
      attempts = CASE WHEN held.attempted_at < clock_timestamp() - ${resetAfter}::interval THEN 1
        ELSE held.attempts + 1 END,
      locked_until = CASE
        WHEN held.attempted_at < clock_timestamp() - ${resetAfter}::interval THEN NULL
        WHEN held.attempts + 1 >= ${free}::int THEN clock_timestamp() + interval '1 second' *
          (${lockSeconds}::int[])[least(held.attempts + 2 - ${free}::int, ${lockSeconds.length}::int)]
      END
    WHERE held.locked_until IS NULL OR held.locked_until <= clock_timestamp()`;
  if (admitted === 1) return { kind: 'admitted' };
  return { kind: 'locked', retryAfterSeconds: Math.max(1, await secondsLocked(db, [subject])) };
}

/** For how long the next attempt from there is refused: 0 when it is not. */
export function lockedSeconds(
  db: Prisma.TransactionClient,
  factor: Factor,
  who: string,
  from: Origin,
): Promise<number> {
  return secondsLocked(
    db,
    countsOf(factor, who, from).map(({ subject }) => subject),
  );
}

async function secondsLocked(db: Prisma.TransactionClient, subjects: readonly string[]): Promise<number> {
  const [left] = await db.$queryRaw<{ seconds: number | null }[]>`
    SELECT ceil(extract(epoch FROM max(locked_until) - clock_timestamp()))::int AS seconds
    FROM sign_in_lock WHERE subject = ANY(${subjects})`;
  return Math.max(0, left?.seconds ?? 0);
}

/**
 * Resets the counts of a person who signed in, and deletes all counts that are out of date. A success in a known browser
 * gives strangers elsewhere no new tries. Without an origin all counts of the account are reset.
 */
export async function clearAttempts(
  db: Prisma.TransactionClient,
  factor: Factor,
  who: string,
  from?: Origin,
): Promise<void> {
  const account = accountOf(factor, who);
  const subjects = from ? countsOf(factor, who, from).map(({ subject }) => subject) : [];
  await db.$executeRaw`
    DELETE FROM sign_in_lock
    WHERE subject = ANY(${subjects}) OR (${from === undefined} AND starts_with(subject, ${account}))
      OR attempted_at < clock_timestamp() - ${resetAfter}::interval`;
}

function countsOf(factor: Factor, who: string, from: Origin): { subject: string; free: number }[] {
  const account = accountOf(factor, who);
  if ('device' in from) return [{ subject: `${account}:${hash(from.device)}`, free: freeAttempts }];
  return [
    { subject: `${account}:${hash(from.network)}`, free: freeAttempts },
    { subject: account, free: freeAttemptsOfAccount },
  ];
}

/** Hashed, because it may be the address of a person who has no account here. */
function accountOf(factor: Factor, who: string): string {
  return hash(`${factor}\n${who.trim().toLowerCase()}`);
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
