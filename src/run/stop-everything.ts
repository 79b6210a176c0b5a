import { stopServer } from './postgres/orphan.ts';
import { stopProcess } from './process-table.ts';
import type { RunRecord } from './run-record.ts';

// The whole stop promises to take less than ten seconds: six for the processes, three for PostgreSQL, one to spare.
const processGraceMs = 6_000;
const postgresGraceMs = 3_000;

// The processes first, because they still want to write down what they were doing; PostgreSQL last.
export async function stopEverything(record: RunRecord, graceMs = processGraceMs): Promise<void> {
  await Promise.all(
    Object.values(record.processes).map((mark) =>
      stopProcess(mark, { signal: 'SIGTERM', graceMs, wholeGroup: true }),
    ),
  );
  if (record.postgres) await stopServer(record.postgres, postgresGraceMs);
}
