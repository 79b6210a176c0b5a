import { rmSync } from 'node:fs';
import { readRunRecord } from './run-record.ts';
import { stopEverything } from './stop-everything.ts';

// A process of its own that outlives a kill -9 of the one it guards. The broken IPC channel is how it learns of the
// death, without polling and without delay; then it stops what the run record names.
const [runFile = '', removeOnDeath] = process.argv.slice(2);
process.title = 'paidonce guardian';

// Ctrl-C and SIGTERM are meant for the supervisor, which releases its guardian when it is done.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

process.on('message', () => process.exit(0));

process.on('disconnect', async () => {
  const record = readRunRecord(runFile);
  if (record) await stopEverything(record);
  rmSync(runFile, { force: true });
  if (removeOnDeath) rmSync(removeOnDeath, { recursive: true, force: true });
  process.exit(0);
});
