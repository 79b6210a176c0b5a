import type { Prisma } from '#prisma';

type Tx = Prisma.TransactionClient;

/** A working day. Each shop may choose another limit; of several shops the shortest applies. */
export const defaultIdleMinutes = 480;
/** Long enough to set up a shop in one sitting, short enough that a browser left open is of little use. */
const confirmedMinutes = 30;

/** Using a session keeps it alive, so a stolen one would otherwise never end. A person signs in once a month. */
const lifetimeDays = 30;

export interface SessionState {
  /** The person did nothing for longer than a shop of theirs allows, or signed in too long ago. */
  readonly over: boolean;
  /** The person has proved who they are a short time ago, by password or code. */
  readonly confirmed: boolean;
}

/** By the database's clock. */
export async function readSessionState(db: Tx, sessionId: string): Promise<SessionState> {
  const [state] = await db.$queryRaw<SessionState[]>`
    SELECT s.active_at < clock_timestamp()
        - min(coalesce(t.idle_minutes, ${defaultIdleMinutes}::int)) * interval '1 minute'
        OR s.created_at < clock_timestamp() - ${lifetimeDays}::int * interval '1 day' AS over,
      s.confirmed_at > clock_timestamp() - ${confirmedMinutes}::int * interval '1 minute' AS confirmed
    FROM session s
    LEFT JOIN member m ON m.user_id = s.user_id
    LEFT JOIN tenant_settings t ON t.tenant_id = m.organization_id
    WHERE s.id = ${sessionId} GROUP BY s.id`;
  return state ?? { over: true, confirmed: false };
}

/** At most one write a minute. What a page reads by itself does not count, or an open page would never be idle. */
export async function recordActivity(db: Tx, sessionId: string): Promise<void> {
  await db.$executeRaw`
    UPDATE session SET active_at = clock_timestamp()
    WHERE id = ${sessionId} AND active_at < clock_timestamp() - interval '1 minute'`;
}

export async function recordConfirmation(db: Tx, sessionId: string): Promise<void> {
  await db.$executeRaw`UPDATE session SET confirmed_at = clock_timestamp() WHERE id = ${sessionId}`;
}

/** The session goes on, and what takes a fresh proof asks for one. */
export async function withdrawConfirmation(db: Tx, sessionId: string): Promise<void> {
  await db.$executeRaw`UPDATE session SET confirmed_at = 'epoch' WHERE id = ${sessionId}`;
}
