import { Prisma, type PrismaClient } from '#prisma';
import { isRow, type TenantRow } from './tenant-row.ts';

/**
 * How a message, which is a row, is sent.
 *
 * - `queued` and not leased: a worker takes the lease and counts the attempt, commits both, and only then sends it. No
 *   transaction is open meanwhile.
 * - `queued` and leased: a worker sends it, or died. No other worker sends it before the lease expires.
 * - anything else: over. A duplicate job finds nothing to do.
 *
 * A worker that dies between sending and its commit leaves a lease that expires, and the message is sent once more under
 * the same id. That is at-least-once delivery; the receiver deduplicates by the id.
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

/** How one attempt ended. `set`: other columns of the row to update. */
export type AttemptResult =
  | { readonly kind: 'done'; readonly set: Prisma.Sql }
  | {
      readonly kind: 'failed';
      readonly error: string;
      /** Trying again cannot help. */
      readonly final?: boolean;
      readonly set?: Prisma.Sql;
    }
  /** It is no longer to be sent, and was not: this attempt does not count. */
  | { readonly kind: 'cancelled'; readonly reason: string };

export type MessageResult = 'nothing_to_do' | 'done' | 'given_up' | 'cancelled';

/** Throws when it shall be sent again: the job's back-off decides when. */
export async function sendMessage(
  db: PrismaClient,
  kind: MessageKind,
  row: TenantRow,
  send: () => Promise<AttemptResult>,
): Promise<MessageResult> {
  const number = await takeLease(db, kind, row);
  if (number === undefined) return 'nothing_to_do';
  const result: AttemptResult =
    number > maxAttempts
      ? { kind: 'failed', error: 'No attempt lived long enough to say how it ended.', final: true }
      : await send();
  if (result.kind === 'done') {
    await markDone(db, kind, row, result.set);
    return 'done';
  }
  if (result.kind === 'cancelled') {
    await markCancelled(db, kind, { ...row, number }, result.reason);
    return 'cancelled';
  }
  const final = result.final === true || number >= maxAttempts;
  await markFailed(db, kind, { ...row, number }, { ...result, final });
  if (final) return 'given_up';
  throw new Error(result.error);
}

async function takeLease(db: PrismaClient, kind: MessageKind, row: TenantRow): Promise<number | undefined> {
  const { table, leaseMs } = messageKinds[kind];
  const [taken] = await db.$queryRaw<{ attempts: number }[]>`
    UPDATE ${table} SET attempts = attempts + 1,
      lease_until = clock_timestamp() + ${leaseMs}::int * interval '1 millisecond'
    WHERE ${isRow(row)} AND status = 'queued' AND (lease_until IS NULL OR lease_until < clock_timestamp())
    RETURNING attempts`;
  if (taken) return taken.attempts;
  const [left] = await db.$queryRaw<{ status: string }[]>`SELECT status FROM ${table} WHERE ${isRow(row)}`;
  if (left?.status !== 'queued') return undefined;
  // Not done yet, so this job must not be either: its owner may be dead.
  throw new Error('Another worker has the lease; this job is tried again later.');
}

/** A message that was sent is sent, also when a superseded attempt reports it. */
async function markDone(db: PrismaClient, kind: MessageKind, row: TenantRow, set: Prisma.Sql): Promise<void> {
  await db.$executeRaw`
    UPDATE ${messageKinds[kind].table} SET ${set}, lease_until = NULL, last_error = NULL
    WHERE ${isRow(row)} AND status IN ('queued', 'failed', 'cancelled')`;
}

async function markCancelled(
  db: PrismaClient,
  kind: MessageKind,
  owner: TenantRow & { readonly number: number },
  reason: string,
): Promise<void> {
  await db.$executeRaw`
    UPDATE ${messageKinds[kind].table} SET status = 'cancelled', attempts = attempts - 1,
      lease_until = NULL, last_error = ${reason}
    WHERE ${isRow(owner)} AND attempts = ${owner.number} AND status = 'queued'`;
}

/** A failure concerns this attempt only: that of a superseded attempt is ignored. */
async function markFailed(
  db: PrismaClient,
  kind: MessageKind,
  owner: TenantRow & { readonly number: number },
  failure: AttemptResult & { kind: 'failed' },
): Promise<void> {
  const also = failure.set ? Prisma.sql`, ${failure.set}` : Prisma.empty;
  await db.$executeRaw`
    UPDATE ${messageKinds[kind].table} SET status = ${failure.final ? 'failed' : 'queued'},
      lease_until = NULL, last_error = ${failure.error} ${also}
    WHERE ${isRow(owner)} AND attempts = ${owner.number} AND status = 'queued'`;
}
