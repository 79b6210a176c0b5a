import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

// A pid alone does not identify a process, because pids are reused, in containers quickly. With the start time it does; on
// Linux that is counted from the start of the machine, which is therefore named too, and so is the container.
export type ProcessIdentity = { pid: number; startedAt: string };

export type StopOptions = { signal: NodeJS.Signals; graceMs: number; wholeGroup: boolean };

const machine = nameMachine();

function nameMachine(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')} `;
  } catch {
    return '';
  }
}

// Zombies count as gone: if pid 1 does not reap them, they stay in the table for ever.
function readStartTime(pid: number): string | undefined {
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The command name in parentheses may contain spaces and parentheses, so the fields are counted from its end.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${machine}${fields[19]}`;
    } catch {
      return undefined;
    }
  }
  const line = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
  }).stdout.trim();
  return line === '' || line.startsWith('Z') ? undefined : line.slice(line.indexOf(' ')).trim();
}

export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const startedAt = readStartTime(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export function isRunning(identity: ProcessIdentity): boolean {
  return readStartTime(identity.pid) === identity.startedAt;
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

// A process that is already gone is no error: the signal was to end it.
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

export async function waitUntilGone(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (isRunning(identity)) {
    if (Date.now() > deadline) return false;
    await delay(20);
  }
  return true;
}

// No process gets a pid that is still the id of a group. So if another process has the pid of the leader, the leader's group
// is gone, and the group of that id is another program's. After a restart of the machine there is nothing left of the group.
export function killGroup(leader: ProcessIdentity): void {
  const found = readStartTime(leader.pid);
  if (!leader.startedAt.startsWith(machine) || (found !== undefined && found !== leader.startedAt)) return;
  sendSignal(-leader.pid, 'SIGKILL');
}

export async function stopProcess(identity: ProcessIdentity, options: StopOptions): Promise<void> {
  if (isRunning(identity)) sendSignal(identity.pid, options.signal);
  const endedByItself = await waitUntilGone(identity, options.graceMs);
  // Grandchildren that outlive the leader are stopped with the rest of its process group.
  if (options.wholeGroup) killGroup(identity);
  else if (!endedByItself) sendSignal(identity.pid, 'SIGKILL');
  await waitUntilGone(identity, 2_000);
}
