import type { Order, Prisma } from '#prisma';

/** Whoever tries more cards than this on one order within an hour is not shopping, but trying out cards. */
export const attemptsAnHour = 20;

/** How long until the order may be paid again; undefined: now. Replays of an earlier payment never get here. */
export async function secondsUntilNextAttempt(
  db: Prisma.TransactionClient,
  order: Pick<Order, 'tenantId' | 'number'>,
): Promise<number | undefined> {
  // One payment of an order lives at a time, so nobody slips past by being many at once.
  const [row] = await db.$queryRaw<{ seconds: number }[]>`
    SELECT greatest(1, ceil(extract(epoch FROM min(created_at) + interval '1 hour' - clock_timestamp())))::int AS seconds
    FROM (SELECT created_at FROM payment
      WHERE tenant_id = ${order.tenantId} AND reference = ${order.number}
        AND created_at > clock_timestamp() - interval '1 hour'
      ORDER BY created_at DESC LIMIT ${attemptsAnHour}) AS recent
    HAVING count(*) >= ${attemptsAnHour}`;
  return row?.seconds;
}
