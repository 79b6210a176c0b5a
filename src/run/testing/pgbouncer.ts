import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isCommand } from '#run/browser/command.ts';
import { findApt } from '#run/debian.ts';
import { chooseAccount } from '#run/postgres/account.ts';
import { findFreePort } from './ports.ts';

/** PgBouncer in transaction mode, with the settings that its packages come with. */
export interface PgBouncer {
  /** The address of the same database through it. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * The program. Debian's package is installed where that is possible. Undefined: this machine has none, and what it would
 * prove cannot be tested here.
 */
export async function findPgBouncer(): Promise<string | undefined> {
  const program = 'pgbouncer';
  if (isCommand(program)) return program;
  await (await findApt())?.([program]);
  return isCommand(program) ? program : undefined;
}

export async function openPgBouncer(
  program: string,
  databaseUrl: string,
  settings: Readonly<Record<string, string | number>> = {},
): Promise<PgBouncer> {
  const target = new URL(databaseUrl);
  const directory = mkdtempSync(path.join(os.tmpdir(), 'paidonce-pgbouncer-'));
  // It refuses to run as root, and runs as the account that PostgreSQL has.
  chmodSync(directory, 0o755);
  const port = await findFreePort();
  const users = path.join(directory, 'users.txt');
  const file = path.join(directory, 'pgbouncer.ini');
  writeFileSync(users, `"${target.username}" "${decodeURIComponent(target.password)}"\n`);
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: users,
    pool_mode: 'transaction',
    // Fewer than clients, so that they really share sessions.
    default_pool_size: 4,
    max_client_conn: 200,
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(
    file,
    `[databases]\n* = host=${target.hostname} port=${target.port}\n[pgbouncer]\n${lines.join('\n')}\n`,
  );
  const child = spawn(program, [file], { ...chooseAccount(directory), stdio: ['ignore', 'ignore', 'pipe'] });
  await untilListening(child);
  const url = new URL(databaseUrl);
  url.port = String(port);
  return {
    url: url.href,
    async close() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      rmSync(directory, { recursive: true });
    },
  };
}

function untilListening(child: ChildProcess): Promise<void> {
  let output = '';
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (chunk) => {
      output += chunk;
      if (output.includes('process up')) resolve();
    });
    child.once('exit', () => reject(new Error(`PgBouncer ended:\n${output}`)));
  });
}
