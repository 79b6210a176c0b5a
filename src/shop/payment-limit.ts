import type { Order, Prisma } from '#prisma';

/** More payments than this for one order within an hour are card testing, not shopping. */
export const paymentsPerHour = 20;

/** How long until the order may be paid again; undefined: now. Replays of an earlier payment never get here. */
export async function secondsUntilNextPayment(
  db: Prisma.TransactionClient,
  order: Pick<Order, 'tenantId' | 'number'>,
): Promise<number | undefined> {
  // An order has one live payment at a time, so concurrent requests cannot exceed the limit.
  const [row] = await db.$queryRaw<{ seconds: number }[]>`
    SELECT greatest(1, ceil(extract(epoch FROM min(created_at) + interval '1 hour' - clock_timestamp())))::int AS seconds
    FROM (SELECT created_at FROM payment
      WHERE tenant_id = ${order.tenantId} AND reference = ${order.number}
        AND created_at > clock_timestamp() - interval '1 hour'
      ORDER BY created_at DESC LIMIT ${paymentsPerHour}) AS recent
    HAVING count(*) >= ${paymentsPerHour}`;
  return row?.seconds;
}
