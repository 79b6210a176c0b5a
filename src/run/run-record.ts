import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { ProcessIdentity } from './process-table.ts';

// The processes that run on one data directory, so that after a kill -9 the guardian or the next start can stop them.
export type RunRecord = {
  supervisor: ProcessIdentity;
  guardian?: ProcessIdentity;
  processes: Record<string, ProcessIdentity>;
  postgres?: ProcessIdentity;
};

export function readRunRecord(file: string): RunRecord | undefined {
  try {
    return parseRunRecord(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

export function parseRunRecord(text: string): RunRecord | undefined {
  try {
    const record = JSON.parse(text) as RunRecord | null;
    return record?.supervisor && record.processes ? record : undefined;
  } catch {
    return undefined;
  }
}

// Synchronous, so that a new process is on record before anything else happens in this one. The rename is atomic: no
// reader sees half a file.
export function writeRunRecord(file: string, record: RunRecord): void {
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  renameSync(partial, file);
}
