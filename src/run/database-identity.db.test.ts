import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withClient } from './database-client.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
import { applyMigrations } from './migrate.ts';

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), 'paidonce-identity-'));
  chmodSync(directory, 0o711);
});
afterAll(() => rmSync(directory, { recursive: true }));

const dataOf = (name: string) => path.join(directory, name);

async function withServer<T>(name: string, use: (server: EmbeddedPostgres) => Promise<T>): Promise<T> {
  const options = { directory: dataOf(name), password: 'for tests', logFile: path.join(directory, 'log') };
  const server = await startEmbeddedPostgres(options);
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

/** The identity of the database, and whether it is one that was compared with the provider. */
async function readIdentity(server: EmbeddedPostgres): Promise<{ identity: string; compared: boolean }> {
  const { rows } = await withClient(server.url('postgres'), (client) =>
    client.query(`SELECT database_identity() AS identity, EXISTS (
      SELECT FROM database_history WHERE identity = database_identity() AND compared_at IS NOT NULL) AS compared`),
  );
  return rows[0];
}

/** A copy of the files, as a backup makes it, recovered from its archive up to the end. */
function restoreBackup(name: string, from: string): void {
  execFileSync('cp', ['-a', dataOf(from), dataOf(name)]);
  const signal = path.join(dataOf(name), 'recovery.signal');
  writeFileSync(signal, '');
  const { uid, gid } = statSync(dataOf(name));
  chownSync(signal, uid, gid);
  // It takes connections when the recovery is over, not before.
  const settings = ["restore_command = 'false'", 'hot_standby = off', ''].join('\n');
  appendFileSync(path.join(dataOf(name), 'postgresql.auto.conf'), settings);
}

test('a restored backup has another identity; a restart and a crash do not change it', async () => {
  const first = await withServer('primary', async (server) => {
    await applyMigrations(server.url('postgres'));
    return readIdentity(server);
  });
  expect(first).toEqual({ identity: expect.stringMatching(/^\d+\/00000001\/\d+$/), compared: true });
  restoreBackup('restored', 'primary');

  await withServer('primary', async (server) => {
    expect(await readIdentity(server)).toEqual(first);
    process.kill(server.server.pid, 'SIGKILL');
    await server.exited;
  });
  await withServer('primary', async (server) => expect(await readIdentity(server)).toEqual(first));
  await withServer('restored', async (server) => {
    const restored = await readIdentity(server);
    expect(restored).toEqual({
      identity: first.identity.replace('/00000001/', '/00000002/'),
      compared: false,
    });
  });
});

test('a database that was written again from a dump has another identity', async () => {
  await withServer('primary', async (server) => {
    const first = await readIdentity(server);
    await withClient(server.url('postgres'), async (client) => {
      // What a dump contains: the statements that create the tables, and their rows.
      await client.query('ALTER TABLE database_history RENAME TO dumped');
      await client.query('CREATE TABLE database_history (LIKE dumped INCLUDING ALL)');
      await client.query('INSERT INTO database_history SELECT * FROM dumped');
      await client.query('DROP TABLE dumped');
    });
    const restored = await readIdentity(server);
    expect(restored.compared).toBe(false);
    expect(restored.identity).not.toBe(first.identity);
  });
});

test('a role without rights can read the identity', async () => {
  await withServer('primary', async (server) => {
    await withClient(server.url('postgres'), (client) => client.query('CREATE ROLE without_rights'));
    const { rows } = await withClient(server.url('postgres'), async (client) => {
      await client.query('SET ROLE without_rights');
      return client.query('SELECT database_identity() AS identity');
    });
    expect(rows).toEqual([{ identity: expect.stringMatching(/^\d+\/\d{8}\/\d+$/) }]);
  });
});
