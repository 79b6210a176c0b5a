import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withClient } from './database-client.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
import { isRunning } from './process-table.ts';

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), 'paidonce-postgres-'));
  chmodSync(directory, 0o711);
});

afterAll(() => rmSync(directory, { recursive: true }));

function start(name = 'postgres'): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({
    directory: path.join(directory, name),
    password: 'a password: with / and ä in it',
    logFile: path.join(directory, 'postgres.log'),
  });
}

async function queryValue<T>(server: EmbeddedPostgres, sql: string): Promise<T | undefined> {
  const { rows } = await withClient(server.url('postgres'), (client) =>
    client.query({ text: sql, rowMode: 'array' }),
  );
  return (rows[0] as T[] | undefined)?.[0];
}

test('data survives a restart, fsync is on, and no password file is left', async () => {
  const first = await start();
  await queryValue(first, 'CREATE TABLE kept AS SELECT 42 AS number');
  expect(await queryValue(first, 'SHOW fsync')).toBe('on');
  expect(await queryValue(first, 'SHOW server_encoding')).toBe('UTF8');
  expect(await queryValue(first, 'SHOW listen_addresses')).toBe('127.0.0.1');
  await first.stop();
  expect(isRunning(first.server)).toBe(false);

  const second = await start();
  expect(await queryValue(second, 'SELECT number FROM kept')).toBe(42);
  await second.stop();
  expect(readdirSync(directory).toSorted()).toEqual(['postgres', 'postgres.log']);
  expect(statSync(path.join(directory, 'postgres')).mode & 0o077).toBe(0);
});

test('a connection without the password is refused', async () => {
  const server = await start();
  const url = new URL(server.url('postgres'));
  url.password = 'another';
  await expect(withClient(url.href, (client) => client.query('SELECT 1'))).rejects.toThrow(
    'password authentication',
  );
  await server.stop();
});

test('a server that a killed run left in the same directory is stopped first', async () => {
  const orphan = await start();
  const server = await start();
  expect(isRunning(orphan.server)).toBe(false);
  expect(await queryValue(server, 'SELECT number FROM kept')).toBe(42);
  await server.stop();
});

test('a stale pid file that names another running process does not prevent the start', async () => {
  writeFileSync(path.join(directory, 'postgres', 'postmaster.pid'), `${process.pid}\n${directory}\n`, {
    mode: 0o644,
  });
  const server = await start();
  expect(await queryValue(server, 'SELECT 1')).toBe(1);
  await server.stop();
});

test('files that a killed run was still making are not touched by what is left of it', async () => {
  const partial = path.join(directory, 'second.partial');
  mkdirSync(partial);
  // initdb outlives the process that started it. When its files disappear it fails, and deletes what is in its directory.
  const failing = setInterval(() => rmSync(partial, { recursive: true, force: true }), 5);
  try {
    const server = await start('second');
    expect(await queryValue(server, 'SELECT 1')).toBe(1);
    await server.stop();
  } finally {
    clearInterval(failing);
  }
  expect(readdirSync(directory).filter((name) => name.startsWith('second'))).toEqual(['second']);
});
