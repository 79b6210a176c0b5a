import { inTransaction, type Pool } from './database.ts';
import { MIGRATIONS } from './migrations.ts';

// Any constant works, as long as every sandbox on this database uses the same one.
const MIGRATION_LOCK = 42_424_242;

/** Brings the schema up to date. Of two processes that start at once, the second waits for the lock and has nothing to do. */
export async function migrate(pool: Pool): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await tx.query(
      'CREATE TABLE IF NOT EXISTS schema_migrations (name text PRIMARY KEY, applied_at timestamptz)',
    );
    const { rows } = await tx.query<{ name: string }>('SELECT name FROM schema_migrations');
    const applied = new Set(rows.map((row) => row.name));
    for (const { name, sql } of MIGRATIONS) {
      if (applied.has(name)) continue;
      await tx.query(sql);
      await tx.query('INSERT INTO schema_migrations VALUES ($1, now())', [name]);
    }
  });
}
