import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import {
  commandLineOf,
  isRunning,
  markProcess,
  type ProcessMark,
  sendSignal,
  waitUntilGone,
} from '#run/process-table.ts';

// The file PostgreSQL keeps while it runs: its pid on the first line, its port on the fourth, its status on the eighth.
export type PostmasterFile = { pid: number; port: number; status: string };

export function readPostmasterFile(data: string): PostmasterFile | undefined {
  try {
    const lines = readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]), status: (lines[7] ?? '').trim() };
  } catch {
    return undefined;
  }
}

export function findServer(data: string): ProcessMark | undefined {
  const file = readPostmasterFile(data);
  if (file === undefined || !Number.isInteger(file.pid)) return undefined;
  const isOurs = commandLineOf(file.pid).includes(`-D ${data} `);
  return isOurs ? markProcess(file.pid) : undefined;
}

// Fast shutdown first: it ends the sessions and writes a checkpoint. Immediate shutdown costs a recovery at the next
// start, but still takes the server's own children with it, which SIGKILL would not.
export async function stopServer(server: ProcessMark, graceMs: number): Promise<void> {
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

// A run that was killed may have left its server running, or only the file that says so. PostgreSQL itself trusts the
// pid in that file, and would refuse to start when some other process has been given the same number since.
export async function clearStaleServer(data: string): Promise<void> {
  const server = findServer(data);
  if (server !== undefined) await stopServer(server, 8_000);
  rmSync(path.join(data, 'postmaster.pid'), { force: true });
}
