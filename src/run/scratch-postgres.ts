import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
import { identifyProcess } from './process-table.ts';
import { writeRunRecord } from './run-record.ts';
import { startGuardian } from './start-guardian.ts';

// A server for tests and tools. Its temporary directory is removed when the server is stopped or this process is killed.
// It is not durable, unless a measurement needs that.
export async function startScratchPostgres({ durable = false } = {}): Promise<EmbeddedPostgres> {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'paidonce-scratch-'));
  // When this runs as root, the server runs under another account, which must be able to enter.
  chmodSync(directory, 0o711);
  const runFile = path.join(directory, 'run.json');
  const guardian = startGuardian(runFile, directory);
  const cleanUp = async () => {
    await guardian.release();
    rmSync(directory, { recursive: true, force: true });
  };
  const supervisor = identifyProcess(process.pid);
  try {
    const server = await startEmbeddedPostgres({
      directory: path.join(directory, 'postgres'),
      password: randomBytes(16).toString('hex'),
      logFile: path.join(directory, 'postgres.log'),
      durable,
      onSpawn: (postgres) => supervisor && writeRunRecord(runFile, { supervisor, processes: {}, postgres }),
    });
    return { ...server, stop: () => server.stop().then(cleanUp) };
  } catch (error) {
    await cleanUp();
    throw error;
  }
}
