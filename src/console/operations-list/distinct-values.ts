import { Prisma } from '#prisma';

/**
 * The distinct values of a column, by a loose index scan: each step looks up the next value in an index that begins with
 * the scope and the column. It takes as many steps as there are values, while `SELECT DISTINCT` would read all rows.
 */
export async function distinctValues(
  db: Prisma.TransactionClient,
  from: { readonly table: string; readonly column: string; readonly scope: Prisma.Sql },
): Promise<string[]> {
  const [table, column] = [Prisma.raw(from.table), Prisma.raw(from.column)];
  const rows = await db.$queryRaw<{ value: string }[]>`
    WITH RECURSIVE step (value) AS (
      (SELECT ${column} FROM ${table} WHERE ${from.scope} ORDER BY ${column} LIMIT 1)
      UNION ALL
      SELECT (SELECT ${column} FROM ${table} WHERE ${from.scope} AND ${column} > step.value ORDER BY ${column} LIMIT 1)
      FROM step WHERE step.value IS NOT NULL
    )
    SELECT value FROM step WHERE value IS NOT NULL`;
  return rows.map(({ value }) => value);
}
