import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { withClient } from './database-client.ts';
import { databaseOf, withDatabase } from './database-url.ts';
import { findFreePort } from './free-port.ts';
import { createTestDatabase, type TestDatabase } from './testing/database.ts';
import { startProgram } from './testing/program.ts';

let directory: string;
let database: TestDatabase;
let taken: Server | undefined;

beforeAll(async () => {
  directory = mkdtempSync(path.join(os.tmpdir(), 'paidonce-refusals-'));
  database = await createTestDatabase();
});

afterEach(() => taken?.close());

afterAll(async () => {
  rmSync(directory, { recursive: true });
  await database.drop();
});

async function startWith(env: Record<string, string>) {
  const ports = { PORT: String(await findFreePort()), SANDBOX_PORT: String(await findFreePort()) };
  const program = startProgram('start.ts', [], { DATA_DIR: path.join(directory, 'data'), ...ports, ...env });
  const { code } = await program.ended;
  // Steps that succeeded before are not part of the message.
  const message = program
    .output()
    .replaceAll(/^✓.*\n/gm, '')
    .trimEnd();
  return { code, message };
}

async function takePort(): Promise<number> {
  const server = createServer();
  taken = server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('npm start refuses a setting that is not valid, and names it', async () => {
  expect(await startWith({ PORT: 'eighty' })).toEqual({
    code: 1,
    message: 'PORT must be a whole number from 1 to 65535.',
  });
});

test('npm start refuses a port that is in use, and names its setting', async () => {
  const port = await takePort();
  expect(await startWith({ PORT: String(port) })).toEqual({
    code: 1,
    message: `Port ${port} on 127.0.0.1 is in use by another program; stop it or set PORT.`,
  });
});

test('npm start refuses a port of the sandbox that is in use, and names its setting', async () => {
  const port = await takePort();
  expect(await startWith({ SANDBOX_PORT: String(port) })).toEqual({
    code: 1,
    message: `Port ${port} on 127.0.0.1 is in use by another program; stop it or set SANDBOX_PORT.`,
  });
});

test('npm start refuses a HOST that is not an address of this machine', async () => {
  expect(await startWith({ HOST: '192.0.2.1' })).toEqual({
    code: 1,
    message: 'HOST 192.0.2.1 is not an address of this machine.',
  });
});

test('npm start refuses a data directory that cannot be created', async () => {
  const { code, message } = await startWith({ DATA_DIR: '/dev/null/data' });
  expect(code).toBe(1);
  expect(message).toMatch(/^DATA_DIR \/dev\/null\/data cannot be used: .+$/);
});

test('npm start refuses a database that does not respond', async () => {
  const port = await findFreePort();
  expect(await startWith({ DATABASE_URL: `postgresql://user:secret@127.0.0.1:${port}/shop` })).toEqual({
    code: 1,
    message: `PostgreSQL at 127.0.0.1:${port} does not respond (connect ECONNREFUSED 127.0.0.1:${port}); start it or change DATABASE_URL.`,
  });
});

test('npm start refuses a wrong password, and does not print it', async () => {
  const url = new URL(database.url);
  url.password = 'wrong-password';
  expect(await startWith({ DATABASE_URL: url.href })).toEqual({
    code: 1,
    message: `PostgreSQL at ${url.host} refuses the login of "paidonce"; check the user and password in DATABASE_URL.`,
  });
});

test('npm start refuses a database that does not exist', async () => {
  const url = withDatabase(inject('postgresUrl'), 'nowhere');
  expect(await startWith({ DATABASE_URL: url })).toEqual({
    code: 1,
    message: `PostgreSQL at ${new URL(url).host} has no database "nowhere"; create it or change DATABASE_URL.`,
  });
});

test('npm start refuses a database that it may not connect to', async () => {
  const name = databaseOf(database.url);
  await withClient(database.url, (client) =>
    client.query(
      `CREATE ROLE "${name} stranger" LOGIN PASSWORD 'x'; REVOKE CONNECT ON DATABASE "${name}" FROM PUBLIC`,
    ),
  );
  const url = new URL(database.url);
  [url.username, url.password] = [`${name} stranger`, 'x'];
  const { code, message } = await startWith({ DATABASE_URL: url.href });
  await withClient(database.url, (client) => client.query(`DROP ROLE "${name} stranger"`));
  expect({ code, message }).toEqual({
    code: 1,
    message: `PostgreSQL at ${url.host} does not let "${name} stranger" connect to "${name}"; grant it CONNECT or change DATABASE_URL.`,
  });
});

test('npm start refuses an option that does not exist', async () => {
  const program = startProgram('start.ts', ['--fast'], { DATA_DIR: path.join(directory, 'data') });
  expect((await program.ended).code).toBe(1);
  expect(program.output()).toBe('"--fast" is not an option; --help lists them.\n');
});

test('npm run reset refuses an option that does not exist, and deletes nothing', async () => {
  const data = path.join(directory, 'kept');
  mkdirSync(path.join(data, 'logs'), { recursive: true });
  const program = startProgram('reset.ts', ['--dry-run'], { DATA_DIR: data });
  expect((await program.ended).code).toBe(1);
  expect(program.output()).toBe('"--dry-run" is not an option; --help explains the command.\n');
  expect(existsSync(path.join(data, 'logs'))).toBe(true);
});
