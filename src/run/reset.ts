import { existsSync, readdirSync, realpathSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { PlainError } from './plain-error.ts';
import { clearPreviousRun, runningSupervisor } from './previous-run.ts';
import { readSettings } from './read-settings.ts';
import { runCommand, say } from './terminal.ts';

const help = `Usage: npm run reset

Throws away everything in DATA_DIR: the embedded database, secrets, logs and demo credentials. Asks nothing.
A database named by DATABASE_URL is left alone.`;

// Only what we make: a DATA_DIR set to the user's home by mistake keeps everything else.
const ours = /^(postgres(\.partial|\.password)?|logs|(secrets|demo|run)\.json(\..+)?)$/;

async function reset(): Promise<void> {
  const { DATA_DIR: directory, DATABASE_URL: databaseUrl } = readSettings();
  const runFile = path.join(directory, 'run.json');
  const pid = runningSupervisor(runFile);
  if (pid !== undefined)
    throw new PlainError(`Paidonce is running in ${directory} (process ${pid}); stop it first.`);
  if (!existsSync(directory)) return say(`There is nothing in ${directory}.`);
  await clearPreviousRun(runFile);
  for (const name of readdirSync(directory).filter((entry) => ours.test(entry))) {
    const entry = path.join(directory, name);
    // Below a home that PostgreSQL may not enter, its data is elsewhere and this is a link to it.
    if (existsSync(entry)) rmSync(realpathSync(entry), { recursive: true, force: true });
    rmSync(entry, { recursive: true, force: true });
  }
  if (readdirSync(directory).length === 0) rmdirSync(directory);
  say(`Threw away the data in ${directory}.`);
  if (databaseUrl) say('The database that DATABASE_URL names was left alone.');
}

await runCommand(help, reset);
