import { createHash } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, PlainError } from './plain-error.ts';
import { identifyProcess, isRunning, sendSignal, waitUntilGone } from './process-table.ts';
import { parseRunRecord, type RunRecord, readRunRecord } from './run-record.ts';
import { longestStopMs, stopEverything } from './stop-everything.ts';

// Makes this process the only one that works on the data directory: the run record names it as supervisor, and creating
// a hard link is atomic and fails if the file exists.
//
// A record whose supervisor is gone is replaced under a lock of its own, which is named after that record and acquired in
// the same way. So one of several starts stops what a killed run left, and a start that is late finds another record.
export async function acquireDataDirectory(
  runFile: string,
  print: (line: string) => void,
): Promise<RunRecord> {
  const supervisor = identifyProcess(process.pid);
  if (!supervisor) throw new Error('This process is not in the process table.');
  const record: RunRecord = { supervisor, processes: {} };
  const partial = `${runFile}.${process.pid}`;
  // Also said where the disk is too full to write a record.
  refuseIfRunning(runFile, readRunRecord(runFile));
  try {
    writeFileSync(partial, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
    await acquire(runFile, partial, async (previous) => {
      const left = await stopLeftovers(previous);
      if (left.length > 0) print(`Stopped what a killed run had left running: ${left.join(', ')}.`);
    });
    return record;
  } finally {
    rmSync(partial, { force: true });
  }
}

async function acquire(
  file: string,
  partial: string,
  clear: (previous: RunRecord) => Promise<void>,
): Promise<void> {
  while (!create(file, partial)) {
    const content = read(file);
    if (content === undefined) continue;
    // A power failure may have left an empty file.
    const previous = parseRunRecord(content);
    refuseIfRunning(file, previous);
    const lock = `${file}.${createHash('sha256').update(content).digest('hex').slice(0, 16)}`;
    await acquire(lock, partial, async () => undefined);
    try {
      if (previous) await clear(previous);
      // It may have been removed meanwhile by its guardian. If not, no other process may replace it.
      if (read(file) !== content) continue;
      const link = `${partial}.link`;
      rmSync(link, { force: true });
      linkSync(partial, link);
      renameSync(link, file);
      return;
    } finally {
      rmSync(lock, { force: true });
    }
  }
}

function refuseIfRunning(file: string, record: RunRecord | undefined): void {
  if (!record || !isRunning(record.supervisor)) return;
  throw new PlainError(
    `Paidonce is already running in ${path.dirname(file)} (process ${record.supervisor.pid}); stop it first or set another DATA_DIR.`,
  );
}

function create(file: string, partial: string): boolean {
  try {
    linkSync(partial, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

// Stops the processes that a killed run left. Its guardian is usually doing that already, so this waits for it first.
async function stopLeftovers(record: RunRecord): Promise<string[]> {
  // One that hangs must not remove the next run's record later.
  if (record.guardian && !(await waitUntilGone(record.guardian, longestStopMs))) {
    sendSignal(record.guardian.pid, 'SIGKILL');
    await waitUntilGone(record.guardian, 2_000);
  }
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
