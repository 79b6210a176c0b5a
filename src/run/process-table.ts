import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

// A pid alone does not name a process: pids are reused, quickly so in containers. Together with its start time it does.
export type ProcessMark = { pid: number; startedAt: string };

export type StopOptions = { signal: NodeJS.Signals; graceMs: number; wholeGroup: boolean };

// Zombies count as gone: where pid 1 does not reap, they stay in the table for ever without running anything.
function readStartTime(pid: number): string | undefined {
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The command name in parentheses may itself hold spaces and parentheses, so the fields are counted behind it.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
    } catch {
      return undefined;
    }
  }
  const line = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
  }).stdout.trim();
  return line === '' || line.startsWith('Z') ? undefined : line.slice(line.indexOf(' ')).trim();
}

export function markProcess(pid: number): ProcessMark | undefined {
  const startedAt = readStartTime(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export function isRunning(mark: ProcessMark): boolean {
  return readStartTime(mark.pid) === mark.startedAt;
}

export function commandLineOf(pid: number): string {
  if (process.platform === 'linux') {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    } catch {
      return '';
    }
  }
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
}

// The process may be gone by the time the signal is sent; that is what the sender wanted.
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

export async function waitUntilGone(mark: ProcessMark, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (isRunning(mark)) {
    if (Date.now() > deadline) return false;
    await delay(20);
  }
  return true;
}

export async function stopProcess(mark: ProcessMark, options: StopOptions): Promise<void> {
  if (isRunning(mark)) sendSignal(mark.pid, options.signal);
  const endedByItself = await waitUntilGone(mark, options.graceMs);
  // Grandchildren that outlive the leader are stopped with the rest of its process group.
  if (options.wholeGroup) sendSignal(-mark.pid, 'SIGKILL');
  else if (!endedByItself) sendSignal(mark.pid, 'SIGKILL');
  await waitUntilGone(mark, 2_000);
}
