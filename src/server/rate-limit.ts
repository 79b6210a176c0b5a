import { randomUUID } from 'node:crypto';
import type { Prisma } from '#prisma';

/**
 * Limits the requests to one path from one address in a window, by the database's clock and in one statement. A window
 * begins with its first request and has a fixed length, so that slow, regular requests are never refused. One that begins
 * more than its length from now was begun before the clock was set back, and is over as well.
 */
export function createRateLimitStorage(db: Prisma.TransactionClient) {
  return {
    /** `cost`: how many requests this one counts as. */
    async consume(key: string, { window, max, cost = 1 }: { window: number; max: number; cost?: number }) {
      const windowMs = window * 1_000;
      const [row] = await db.$queryRaw<{ count: number; leftMs: number }[]>`
        WITH clock AS (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now)
        INSERT INTO rate_limit AS held (id, key, count, last_request)
        SELECT ${randomUUID()}, ${key}, ${cost}::int, now FROM clock
        ON CONFLICT (key) DO UPDATE SET
          count = CASE WHEN abs(excluded.last_request - held.last_request) >= ${windowMs}::bigint THEN excluded.count
            ELSE held.count + excluded.count END,
          last_request = CASE WHEN abs(excluded.last_request - held.last_request) >= ${windowMs}::bigint
            THEN excluded.last_request ELSE held.last_request END
        RETURNING count,
          (last_request + ${windowMs}::bigint - (SELECT now FROM clock))::int AS "leftMs"`;
      if (!row) throw new Error('The rate limit could not be counted.');
      if (row.count === cost) await sweep(db);
      const allowed = row.count <= max;
      return { allowed, retryAfter: allowed ? null : Math.max(1, Math.ceil(row.leftMs / 1_000)) };
    },

    /** For requests that turned out not to be what is limited. They are counted first, so that many at once are limited too. */
    async giveBack(key: string): Promise<void> {
      await db.$executeRaw`UPDATE rate_limit SET count = count - 1 WHERE key = ${key} AND count > 0`;
    },
  };
}

/** No window is as long as an hour. */
async function sweep(db: Prisma.TransactionClient): Promise<void> {
  await db.$executeRaw`
    DELETE FROM rate_limit
    WHERE last_request < (extract(epoch FROM clock_timestamp() - interval '1 hour') * 1000)::bigint`;
}
