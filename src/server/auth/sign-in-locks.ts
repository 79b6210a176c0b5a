import { createHash } from 'node:crypto';
import type { Prisma } from '#prisma';

/**
 * Guessing at an account is slowed down whoever guesses and from wherever. An attempt is counted before it is made, in
 * one statement, so that a thousand at once are no more than one after another; a success takes the count away. An
 * account that does not exist is locked in the same way, so that a lock tells nothing.
 */

/** A person mistypes a few times. */
const freeAttempts = 5;
/**
 * Then each further attempt locks for longer. A quarter of an hour is enough: four guesses an hour find no password of
 * twelve characters and, of a million codes, none in a lifetime. Longer would only help those who lock others out.
 */
const lockSeconds = [60, 120, 240, 480, 900];
/** Whoever has been quiet for a day starts over. */
const quiet = '1 day';

export type Factor = 'password' | 'second_factor';
export type Admission =
  | { readonly kind: 'admitted' }
  | { readonly kind: 'locked'; readonly retryAfterSeconds: number };

export async function beginAttempt(
  db: Prisma.TransactionClient,
  factor: Factor,
  who: string,
): Promise<Admission> {
  const subject = subjectOf(factor, who);
  const admitted = await db.$executeRaw`
    INSERT INTO sign_in_lock AS held (subject, attempts, attempted_at)
    VALUES (${subject}, 1, clock_timestamp())
    ON CONFLICT (subject) DO UPDATE SET
      attempted_at = clock_timestamp(),
      attempts = CASE WHEN held.attempted_at < clock_timestamp() - ${quiet}::interval THEN 1
        ELSE held.attempts + 1 END,
      locked_until = CASE
        WHEN held.attempted_at < clock_timestamp() - ${quiet}::interval THEN NULL
        WHEN held.attempts + 1 >= ${freeAttempts}::int THEN clock_timestamp() + interval '1 second' *
          (${lockSeconds}::int[])[least(held.attempts + 2 - ${freeAttempts}::int, ${lockSeconds.length}::int)]
      END
    WHERE held.locked_until IS NULL OR held.locked_until <= clock_timestamp()`;
  if (admitted === 1) return { kind: 'admitted' };
  const [left] = await db.$queryRaw<{ seconds: number }[]>`
    SELECT ceil(extract(epoch FROM locked_until - clock_timestamp()))::int AS seconds
    FROM sign_in_lock WHERE subject = ${subject}`;
  return { kind: 'locked', retryAfterSeconds: Math.max(1, left?.seconds ?? 1) };
}

/** Whoever gets in takes their own count away, and what has been quiet for long with it. */
export async function forgetAttempts(
  db: Prisma.TransactionClient,
  factor: Factor,
  who: string,
): Promise<void> {
  await db.$executeRaw`
    DELETE FROM sign_in_lock
    WHERE subject = ${subjectOf(factor, who)} OR attempted_at < clock_timestamp() - ${quiet}::interval`;
}

/** Hashed: the addresses that strangers try are not ours to keep. */
function subjectOf(factor: Factor, who: string): string {
  return createHash('sha256').update(`${factor}\n${who.trim().toLowerCase()}`).digest('hex');
}
