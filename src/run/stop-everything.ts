import { stopServer } from './postgres/orphan.ts';
import { stopProcess } from './process-table.ts';
import type { RunRecord } from './run-record.ts';

// A stop must take less than ten seconds: six for the processes, three for PostgreSQL, one to spare. The processes wait for the
// provider for four of their six (`server/stopping.ts`).
const processGraceMs = 6_000;
const postgresGraceMs = 3_000;

// With processes that have to be killed, and a second to spare.
export const longestStopMs = 16_000;

// The processes are stopped first, because they still write to PostgreSQL while they stop.
export async function stopEverything(record: RunRecord, graceMs = processGraceMs): Promise<void> {
  await Promise.all(
    Object.values(record.processes).map((identity) =>
      stopProcess(identity, { signal: 'SIGTERM', graceMs, wholeGroup: true }),
    ),
  );
  if (record.postgres) await stopServer(record.postgres, postgresGraceMs);
}
