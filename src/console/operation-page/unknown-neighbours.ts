import type { OperationRef } from '#idempotency/index.ts';
import { operationNames } from '#payments/operations/copy.ts';
import { Prisma } from '#prisma';

const { sql } = Prisma;

/**
 * The unknown operations before and after this one, in the order of the list "unknown for longest": an operator works
 * through them without going back to the list. Also for one that was just resolved, from where it was.
 */
export async function unknownNeighbours(
  db: Prisma.TransactionClient,
  { tenantId, id }: OperationRef,
): Promise<{ readonly previous: string | null; readonly next: string | null }> {
  const [row] = await db.$queryRaw<{ previous: string | null; next: string | null }[]>`
    SELECT ${neighbour(sql`<`, sql`DESC`)} AS previous, ${neighbour(sql`>`, sql`ASC`)} AS next
    FROM (SELECT tenant_id, id, unknown_since FROM operation WHERE tenant_id = ${tenantId} AND id = ${id}::uuid) AS here`;
  return { previous: row?.previous ?? null, next: row?.next ?? null };
}

/** One lookup in the index of unknown operations for each kind; of these the nearest. */
function neighbour(side: Prisma.Sql, direction: Prisma.Sql): Prisma.Sql {
  const branches = operationNames.map(
    (kind) => sql`(SELECT r.id, r.unknown_since FROM operation r
      WHERE r.tenant_id = here.tenant_id AND r.operation = ${kind} AND r.status = 'unknown'
        AND (r.unknown_since, r.id) ${side} (here.unknown_since, here.id)
      ORDER BY r.unknown_since ${direction}, r.id ${direction} LIMIT 1)`,
  );
  return sql`(SELECT id FROM (${Prisma.join(branches, ' UNION ALL ')}) AS near
    ORDER BY unknown_since ${direction}, id ${direction} LIMIT 1)`;
}
