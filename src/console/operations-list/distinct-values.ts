import { Prisma } from '#prisma';

/**
 * What there is to filter by, found by leaping from one value to the next along an index that begins with the scope and
 * the column: as many steps as there are values, however many rows. `SELECT DISTINCT` would read them all.
 */
export async function distinctValues(
  db: Prisma.TransactionClient,
  from: { readonly table: string; readonly column: string; readonly scope: Prisma.Sql },
): Promise<string[]> {
  const [table, column] = [Prisma.raw(from.table), Prisma.raw(from.column)];
  const rows = await db.$queryRaw<{ value: string }[]>`
    WITH RECURSIVE leap (value) AS (
      (SELECT ${column} FROM ${table} WHERE ${from.scope} ORDER BY ${column} LIMIT 1)
      UNION ALL
      SELECT (SELECT ${column} FROM ${table} WHERE ${from.scope} AND ${column} > leap.value ORDER BY ${column} LIMIT 1)
      FROM leap WHERE leap.value IS NOT NULL
    )
    SELECT value FROM leap WHERE value IS NOT NULL`;
  return rows.map(({ value }) => value);
}
