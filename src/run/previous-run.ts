import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { describe, PlainError } from './plain-error.ts';
import { identifyProcess, isRunning, waitUntilGone } from './process-table.ts';
import { type RunRecord, readRunRecord } from './run-record.ts';
import { stopEverything } from './stop-everything.ts';

export function runningSupervisor(runFile: string): number | undefined {
  const record = readRunRecord(runFile);
  return record && isRunning(record.supervisor) ? record.supervisor.pid : undefined;
}

// Stops the processes that a killed run left. Its guardian is usually doing that already, so this waits for it first.
async function stopLeftovers(record: RunRecord): Promise<string[]> {
  if (record.guardian) await waitUntilGone(record.guardian, 12_000);
  const left = Object.entries({
    ...record.processes,
    ...(record.postgres && { PostgreSQL: record.postgres }),
  })
    .filter(([, identity]) => isRunning(identity))
    .map(([name]) => name);
  try {
    await stopEverything(record);
  } catch (error) {
    throw new PlainError(
      `A killed run left ${left.join(', ')} running, and stopping it failed: ${describe(error)}`,
    );
  }
  return left;
}

export async function clearPreviousRun(runFile: string): Promise<string[]> {
  const record = readRunRecord(runFile);
  if (!record) {
    rmSync(runFile, { force: true });
    return [];
  }
  const left = await stopLeftovers(record);
  // Renamed before it is removed: of two starts at once only one renames it, and neither removes the other's new record.
  const aside = `${runFile}.stale-${process.pid}`;
  try {
    renameSync(runFile, aside);
  } catch {
    return left;
  }
  if (runningSupervisor(aside) !== undefined) renameSync(aside, runFile);
  else rmSync(aside, { force: true });
  return left;
}

// Makes this process the only supervisor of the data directory: creating a hard link is atomic and fails if it exists.
export function createRunRecord(runFile: string): RunRecord | undefined {
  const supervisor = identifyProcess(process.pid);
  if (!supervisor) throw new Error('This process is not in the process table.');
  const record: RunRecord = { supervisor, processes: {} };
  const partial = `${runFile}.${process.pid}`;
  try {
    writeFileSync(partial, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
    linkSync(partial, runFile);
    return record;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return undefined;
  } finally {
    rmSync(partial, { force: true });
  }
}
