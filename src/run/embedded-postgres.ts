import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from './free-port.ts';
import { PlainError } from './plain-error.ts';
import { type Account, chooseAccount } from './postgres/account.ts';
import { findBinaries } from './postgres/binaries.ts';
import { serverEnvironment } from './postgres/environment.ts';
import { initialiseData, superuser } from './postgres/initialise.ts';
import { clearStaleServer, readPostmasterFile, stopServer } from './postgres/orphan.ts';
import { placeBinaries, placeData } from './postgres/place.ts';
import { identifyProcess, type ProcessIdentity } from './process-table.ts';

export type EmbeddedPostgresOptions = {
  directory: string;
  password: string;
  logFile: string;
  // A restarted server keeps its port, because the other processes have its URL.
  port?: number;
  // Only tests may trade durability for speed.
  durable?: boolean;
  onSpawn?: (server: ProcessIdentity) => void;
  // Once aborted, no further server is spawned; the caller stops one that is already running.
  signal?: AbortSignal;
};

export type EmbeddedPostgres = {
  port: number;
  server: ProcessIdentity;
  exited: Promise<void>;
  url(database: string): string;
  stop(): Promise<void>;
};

type Prepared = { binaries: string; data: string; account: Account };

const startTimeoutMs = 30_000;

const notDurable = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // No copy of the server reads its log, so an index is built without one. Tests that depend on statistics gather them.
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
  // Several test files at a time, each with pools and processes of its own.
  max_connections: '400',
};

async function prepare(options: EmbeddedPostgresOptions): Promise<Prepared> {
  const account = chooseAccount(options.directory);
  const binaries = placeBinaries(findBinaries(), account);
  const data = placeData(options.directory, account);
  await initialiseData({
    binaries,
    data,
    account,
    password: options.password,
    durable: options.durable ?? true,
  });
  await clearStaleServer(data);
  return { binaries, data, account };
}

function spawnServer(
  { binaries, data, account }: Prepared,
  port: number,
  options: EmbeddedPostgresOptions,
): ChildProcess {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    // TCP only: a socket path has a length limit that a deep checkout exceeds.
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    max_connections: '200',
    ...(options.durable === false && notDurable),
  };
  const args = [
    '-D',
    data,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  mkdirSync(path.dirname(options.logFile), { recursive: true });
  // The server has the log file open itself, so that it can still write after this process has died.
  const log = openSync(options.logFile, 'a', 0o600);
  try {
    return spawn(path.join(binaries, 'bin', 'postgres'), args, {
      ...account,
      cwd: data,
      env: serverEnvironment,
      stdio: ['ignore', log, log],
      // Its own process group: Ctrl-C at the terminal must not stop it before the processes that use it.
      detached: true,
    });
  } finally {
    closeSync(log);
  }
}

async function waitUntilReady(data: string, child: ChildProcess, server: ProcessIdentity): Promise<boolean> {
  const deadline = Date.now() + startTimeoutMs;
  while (child.exitCode === null && child.signalCode === null) {
    const file = readPostmasterFile(data);
    if (file?.pid === server.pid && file.status === 'ready') return true;
    if (Date.now() > deadline) {
      await stopServer(server, 1_000);
      break;
    }
    await delay(10);
  }
  return false;
}

function lastErrorLine(logFile: string): string {
  const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-20);
  const message = lines.findLast((line) => /\b(FATAL|PANIC|ERROR|could not)\b/.test(line)) ?? lines.at(-1);
  return (message ?? 'it printed nothing').replace(/^.*?(FATAL|PANIC|ERROR|LOG):\s*/, '');
}

export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const prepared = await prepare(options);
  const deadline = Date.now() + startTimeoutMs;
  while (true) {
    options.signal?.throwIfAborted();
    const port = options.port ?? (await findFreePort());
    const child = spawnServer(prepared, port, options);
    const exited = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    });
    const server = child.pid === undefined ? undefined : identifyProcess(child.pid);
    if (server !== undefined) {
      options.onSpawn?.(server);
      if (await waitUntilReady(prepared.data, child, server)) {
        const url = (database: string) =>
          `postgresql://${superuser}:${encodeURIComponent(options.password)}@127.0.0.1:${port}/${database}`;
        return { port, server, exited, url, stop: () => stopServer(server, 6_000) };
      }
    }
    const message = lastErrorLine(options.logFile);
    // Both are temporary: the port was taken between the probe and the start, or sessions of a killed server are still ending.
    const isTemporary =
      /could not create any TCP\/IP sockets|Address already in use|shared memory block/.test(message);
    if (!isTemporary || Date.now() > deadline) throw new PlainError(`PostgreSQL did not start: ${message}`);
    await delay(200);
  }
}
