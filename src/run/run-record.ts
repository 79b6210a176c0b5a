import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { ProcessMark } from './process-table.ts';

// What is running on behalf of one data directory, so that after a kill -9 the guardian can stop it at once, or the next
// start.
export type RunRecord = {
  supervisor: ProcessMark;
  guardian?: ProcessMark;
  processes: Record<string, ProcessMark>;
  postgres?: ProcessMark;
};

export function readRunRecord(file: string): RunRecord | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunRecord;
  } catch {
    return undefined;
  }
}

// Synchronous on purpose: a process must be on record before anything else can happen to us. The rename keeps a reader
// from ever seeing half a file.
export function writeRunRecord(file: string, record: RunRecord): void {
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  renameSync(partial, file);
}
