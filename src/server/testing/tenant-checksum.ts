import type { PrismaClient } from '#prisma';

/** Tables that are left out, each with the reason why another tenant can change nothing of this one in them. */
const excluded: Record<string, string> = {
  _prisma_migrations: 'the history of the schema',
  activity_bucket: 'counts of what a tenant itself did, written a moment later by the process that counted',
  database_history: 'which database this is, the same for all tenants',
  metric_counter: 'counters without ids',
  provider_circuit: 'whether checks at the provider are paused',
  provider_event_list: 'up to when the events of all tenants were listed',
  rate_limit: 'requests by address',
  sign_in_lock: 'hashes of accounts',
  used_code: 'hashes of codes that were typed in',
  verification: 'challenges of a sign-in under way',
  worker_heartbeat: 'workers',
};

/** How a row belongs to a tenant; the first column that a table has decides. */
const conditionByColumn: readonly (readonly [column: string, condition: string])[] = [
  ['tenant_id', 'tenant_id = $1'],
  ['organization_id', 'organization_id = $1'],
  ['user_id', 'user_id IN (SELECT user_id FROM member WHERE organization_id = $1)'],
  ['order_id', 'order_id IN (SELECT id FROM shop_order WHERE tenant_id = $1)'],
];
const conditionByTable: Record<string, string> = {
  organization: 'id = $1',
  user: 'id IN (SELECT user_id FROM member WHERE organization_id = $1)',
};

/** The statement for a database, whose tables do not change while a test runs; reading the catalogue takes longer than it. */
const statements = new WeakMap<PrismaClient, Promise<string>>();

/** A hash of all rows of a tenant for each table. Equal hashes mean that nothing was changed. */
export async function tenantChecksum(db: PrismaClient, tenantId: string): Promise<Record<string, string>> {
  const statement = statements.get(db) ?? checksumSql(db);
  statements.set(db, statement);
  const sums = await db.$queryRawUnsafe<{ table: string; sum: string }[]>(await statement, tenantId);
  return Object.fromEntries(sums.map(({ table, sum }) => [table, sum]));
}

async function checksumSql(db: PrismaClient): Promise<string> {
  const columns = await db.$queryRaw<{ table: string; columns: string[] }[]>`
    SELECT c.table_name AS table, array_agg(c.column_name::text) AS columns
    FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' GROUP BY 1 ORDER BY 1`;
  const parts = columns
    .filter(({ table }) => !excluded[table])
    .map(({ table, columns: names }) => {
      const condition =
        conditionByTable[table] ?? conditionByColumn.find(([column]) => names.includes(column))?.[1];
      if (condition) return sumOf(table, condition);
      throw new Error(
        `The table ${table} is new here: say in src/server/testing/tenant-checksum.ts how its rows belong to a tenant, or why they do not.`,
      );
    });
  return parts.join(' UNION ALL ');
}

/** When an API key or a session was last used, which its holder may: a person who is a member of both shops uses a session. */
const timesOfUse = "'{last_used_at,active_at}'::text[]";

function sumOf(table: string, condition: string): string {
  const row = `(to_jsonb(t) - ${timesOfUse})::text`;
  return `SELECT '${table}' AS table, count(*) || ' ' || coalesce(md5(string_agg(${row}, chr(10) ORDER BY ${row})), '') AS sum
    FROM "${table}" t WHERE ${condition}`;
}
