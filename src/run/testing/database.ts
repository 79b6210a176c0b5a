import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { inject } from 'vitest';
import { withClient } from '#run/database-client.ts';
import { withDatabase } from '#run/database-url.ts';
import { templateDatabase } from './template.ts';

export { withClient };

export type TestDatabase = { url: string; drop(): Promise<void> };

// The server notices a closed socket within a moment; a pool that was not closed stays open for ever.
const graceMs = 2_000;

async function listSessions(client: pg.Client, name: string): Promise<string[]> {
  const { rows } = await client.query<{ application_name: string; query: string }>(
    'SELECT application_name, query FROM pg_stat_activity WHERE datname = $1',
    [name],
  );
  return rows.map((row) => `${row.application_name || 'unnamed'}: ${row.query.trim().slice(0, 120)}`);
}

// A worker or pool that is left open fails the test file that left it, instead of affecting the next one. So do transactions that
// deadlocked: PostgreSQL ends one of them, which few tests would notice, and only sometimes.
async function drop(serverUrl: string, name: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    const deadline = Date.now() + graceMs;
    let sessions = await listSessions(client, name);
    while (sessions.length > 0 && Date.now() < deadline) {
      await delay(25);
      sessions = await listSessions(client, name);
    }
    const { rows } = await client.query<{ deadlocks: number }>(
      'SELECT deadlocks::int FROM pg_stat_database WHERE datname = $1',
      [name],
    );
    await client.query(`DROP DATABASE "${name}" WITH (FORCE)`);
    if (sessions.length > 0) {
      throw new Error(`${sessions.length} database sessions were still open:\n  ${sessions.join('\n  ')}`);
    }
    if (rows[0]?.deadlocks)
      throw new Error(`Transactions waited for each other (deadlocks: ${rows[0].deadlocks}).`);
  });
}

// 'app' has every migration applied, 'empty' has no tables.
export async function createTestDatabase(
  options: { template?: 'app' | 'empty' } = {},
): Promise<TestDatabase> {
  const serverUrl = inject('postgresUrl');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const template = options.template === 'app' ? templateDatabase : 'template0';
  // Copying files is faster than logging every page, for a small database on a server without fsync.
  const sql = `CREATE DATABASE "${name}" TEMPLATE ${template} STRATEGY file_copy`;
  await withClient(serverUrl, (client) => client.query(sql));
  return { url: withDatabase(serverUrl, name), drop: () => drop(serverUrl, name) };
}
