import type pg from 'pg';
import { PlainError } from './plain-error.ts';

const oldestMajor = 14;

type Facts = { schema: string | null; encoding: string; version: number; readOnly: string };

// Found out before anything is created: each would otherwise fail later, at the first query, name with an accent or payment.
export async function refuseUnsuitableDatabase(client: pg.Client): Promise<void> {
  const { rows } = await client.query<Facts>(
    `SELECT current_schema() AS schema, current_setting('server_encoding') AS encoding,
       current_setting('server_version_num')::int AS version, current_setting('transaction_read_only') AS "readOnly"`,
  );
  const { schema = null, encoding = '', version = 0, readOnly = '' } = rows[0] ?? {};
  const major = Math.floor(version / 10_000);
  if (major < oldestMajor) {
    throw new PlainError(`This is PostgreSQL ${major}; use version ${oldestMajor} or newer.`);
  }
  if (readOnly === 'on') {
    throw new PlainError(
      'This database takes no writes: it is a standby, or default_transaction_read_only is on for it or the role; use the primary, or turn that off.',
    );
  }
  if (encoding !== 'UTF8') {
    throw new PlainError(`The encoding of this database is ${encoding}; create one with the encoding UTF8.`);
  }
  if (schema !== 'public') {
    throw new PlainError(
      `The search_path of this database and role leads to ${schema === null ? 'no schema' : `"${schema}"`}, but the tables are in "public"; run ALTER ROLE … SET search_path = public.`,
    );
  }
}

// Where another role applies the migrations, this one may lack rights on their tables. Those of the job queue have row security
// without a policy: for all but their owner there would be no jobs, without an error.
export async function refuseRoleWithoutRights(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ role: string; name: string; granted: boolean }>(
    `SELECT current_user AS role, name, granted
     FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace,
       LATERAL (SELECT format('%I.%I', n.nspname, c.relname) AS name,
         has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
           -- No process writes the histories of migrations.
           AND (c.relname IN ('_prisma_migrations', 'migrations') OR has_table_privilege(c.oid, 'INSERT')) AS granted) AS rights
     WHERE c.relkind IN ('r', 'p') AND (n.nspname = 'graphile_worker' OR n.nspname = 'public'
         -- Not tables of another application, or of an extension.
         AND c.relowner = (SELECT relowner FROM pg_class WHERE oid = to_regclass('public._prisma_migrations'))
         AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e'))
       AND (NOT granted
         OR row_security_active(c.oid) AND NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = c.oid))
     ORDER BY granted, name LIMIT 1`,
  );
  const [refused] = rows;
  if (!refused) return;
  const { role, name, granted } = refused;
  throw new PlainError(
    granted
      ? `Row security hides the rows of ${name} from the role "${role}"; run ALTER ROLE … BYPASSRLS, or use the role that owns the tables.`
      : `The role "${role}" may not read and write ${name}; grant it SELECT, INSERT, UPDATE and DELETE on all tables of the schemas public and graphile_worker.`,
  );
}
