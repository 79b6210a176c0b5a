import { rmSync } from 'node:fs';
import { readRunRecord } from './run-record.ts';
import { stopEverything } from './stop-everything.ts';

// A separate process that survives a kill -9 of the supervisor. The closed IPC channel reports that death without polling;
// the guardian then stops the processes that the run record names.
const [runFile = '', supervisorStartedAt, removeOnDeath] = process.argv.slice(2);
process.title = 'paidonce guardian';

// The supervisor handles these signals, and releases its guardian when it has stopped the processes.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

process.on('message', () => process.exit(0));

process.on('disconnect', async () => {
  const record = readRunRecord(runFile);
  // The next run may have a record already, if this process was slow.
  if (record && record.supervisor.startedAt === supervisorStartedAt) {
    await stopEverything(record);
    rmSync(runFile, { force: true });
  }
  if (removeOnDeath) rmSync(removeOnDeath, { recursive: true, force: true });
  process.exit(0);
});
