import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { describe, PlainError } from './plain-error.ts';
import { isRunning, markProcess, waitUntilGone } from './process-table.ts';
import { type RunRecord, readRunRecord } from './run-record.ts';
import { stopEverything } from './stop-everything.ts';

export function runningSupervisor(runFile: string): number | undefined {
  const record = readRunRecord(runFile);
  return record && isRunning(record.supervisor) ? record.supervisor.pid : undefined;
}

// Stops what a killed run left. Its guardian is usually stopping it already, so it is given the time that may take.
async function stopLeftovers(record: RunRecord): Promise<string[]> {
  if (record.guardian) await waitUntilGone(record.guardian, 12_000);
  const left = Object.entries({
    ...record.processes,
    ...(record.postgres && { PostgreSQL: record.postgres }),
  })
    .filter(([, mark]) => isRunning(mark))
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
  // Moved aside before it is removed, so that of two starts at once only one removes it, and neither the other's.
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

// Makes us the one supervisor of this data directory. A hard link appears whole or not at all, and only once.
export function claimRun(runFile: string): RunRecord | undefined {
  const supervisor = markProcess(process.pid);
  if (!supervisor) throw new Error('The process table does not know this process.');
  const record: RunRecord = { supervisor, processes: {} };
  const partial = `${runFile}.${process.pid}`;
  writeFileSync(partial, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  try {
    linkSync(partial, runFile);
    return record;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return undefined;
  } finally {
    rmSync(partial, { force: true });
  }
}
