import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import {
  commandLineOf,
  identifyProcess,
  isRunning,
  type ProcessIdentity,
  sendSignal,
  waitUntilGone,
} from '#run/process-table.ts';

// PostgreSQL keeps this file while it runs: its pid on the first line, its port on the fourth, its status on the eighth.
export type PostmasterFile = { pid: number; port: number; status: string };

export function readPostmasterFile(data: string): PostmasterFile | undefined {
  try {
    const lines = readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]), status: (lines[7] ?? '').trim() };
  } catch {
    return undefined;
  }
}

export function findServer(data: string): ProcessIdentity | undefined {
  const file = readPostmasterFile(data);
  if (file === undefined || !Number.isInteger(file.pid)) return undefined;
  const isOurs = commandLineOf(file.pid).includes(`-D ${data} `);
  return isOurs ? identifyProcess(file.pid) : undefined;
}

// Fast shutdown (SIGINT) ends the sessions and writes a checkpoint. Immediate shutdown (SIGQUIT) costs a recovery at the
// next start, but still ends the server's own children, which SIGKILL does not.
export async function stopServer(server: ProcessIdentity, graceMs: number): Promise<void> {
  for (const [signal, waitMs] of [
    ['SIGINT', graceMs],
    ['SIGQUIT', 2_000],
    ['SIGKILL', 2_000],
  ] as const) {
    if (!isRunning(server)) return;
    sendSignal(server.pid, signal);
    if (await waitUntilGone(server, waitMs)) return;
  }
}

// A killed run may have left its server running, or only its pid file. PostgreSQL trusts the pid in that file, and would
// refuse to start when another process has that pid now.
export async function clearStaleServer(data: string): Promise<void> {
  const server = findServer(data);
  if (server !== undefined) await stopServer(server, 8_000);
  rmSync(path.join(data, 'postmaster.pid'), { force: true });
}
