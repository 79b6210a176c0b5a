import type { PrismaClient } from '#prisma';

/** Tables that are left out, each with the reason why nothing in them could be touched by a stranger. */
const leftOut: Record<string, string> = {
  _prisma_migrations: 'the history of the schema',
  activity_bucket: 'counts of what a tenant itself did, written a moment later by whoever counted',
  metric_counter: 'counters without ids',
  provider_circuit: 'whether the provider is worth asking',
  rate_limit: 'requests by address',
  sign_in_lock: 'hashes of who was tried',
  used_code: 'hashes of codes that were typed in',
  verification: 'challenges of a sign-in under way',
  worker_heartbeat: 'workers',
};

/** How a row says whose it is, the surest way first. */
const ways: readonly (readonly [column: string, condition: string])[] = [
  ['tenant_id', 'tenant_id = $1'],
  ['organization_id', 'organization_id = $1'],
  ['user_id', 'user_id IN (SELECT user_id FROM member WHERE organization_id = $1)'],
  ['order_id', 'order_id IN (SELECT id FROM shop_order WHERE tenant_id = $1)'],
];
const byName: Record<string, string> = {
  organization: 'id = $1',
  user: 'id IN (SELECT user_id FROM member WHERE organization_id = $1)',
};

/** Everything the database holds of a tenant, table by table, as hashes: what is equal has not been touched. */
export async function tenantChecksum(db: PrismaClient, tenantId: string): Promise<Record<string, string>> {
  const columns = await db.$queryRaw<{ table: string; columns: string[] }[]>`
    SELECT c.table_name AS table, array_agg(c.column_name::text) AS columns
    FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' GROUP BY 1 ORDER BY 1`;
  const parts = columns
    .filter(({ table }) => !leftOut[table])
    .map(({ table, columns: names }) => {
      const condition = byName[table] ?? ways.find(([column]) => names.includes(column))?.[1];
      if (condition) return sumOf(table, condition);
      throw new Error(
        `The table ${table} is new here: say in src/server/testing/tenant-checksum.ts how its rows belong to a tenant, or why they do not.`,
      );
    });
  const sums = await db.$queryRawUnsafe<{ table: string; sum: string }[]>(
    parts.join(' UNION ALL '),
    tenantId,
  );
  return Object.fromEntries(sums.map(({ table, sum }) => [table, sum]));
}

function sumOf(table: string, condition: string): string {
  return `SELECT '${table}' AS table, count(*) || ' ' || coalesce(md5(string_agg(t::text, chr(10) ORDER BY t::text)), '') AS sum
    FROM "${table}" t WHERE ${condition}`;
}
