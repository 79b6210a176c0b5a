import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { print, runCommand } from '#run/terminal.ts';
import { acquireDataDirectory } from '../data-directory.ts';
import { stopOnSignals } from '../stop-on-signals.ts';
import { Supervisor } from '../supervisor.ts';

// The real supervisor with a real PostgreSQL and fake children, as a separate process that tests can kill.
// Arguments: the data directory, then one mode of fake-child.ts per child.
await runCommand('', async ([directory = '', ...modes]) => {
  const logDirectory = path.join(directory, 'logs');
  mkdirSync(logDirectory, { recursive: true });
  const runFile = path.join(directory, 'run.json');
  const record = await acquireDataDirectory(runFile, print);
  const supervisor = new Supervisor({
    runFile,
    record,
    logDirectory,
    print,
    ...(process.env.GRACE_MS !== undefined && { graceMs: Number(process.env.GRACE_MS) }),
  });
  const isStopping = stopOnSignals(supervisor, print);
  try {
    await supervisor.runPostgres({
      directory: path.join(directory, 'postgres'),
      password: 'a password for tests',
      logFile: path.join(logDirectory, 'postgres.log'),
      durable: false,
    });
    const fake = path.join(import.meta.dirname, 'fake-child.ts');
    for (const mode of modes) {
      const command = [process.execPath, fake, mode] as const;
      await supervisor.run({ name: mode, command, env: process.env, ready: 'message' });
    }
    print('ready');
  } catch (error) {
    await supervisor.stop();
    if (!isStopping()) throw error;
  }
});
