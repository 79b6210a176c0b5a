import { existsSync, readdirSync, realpathSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { PlainError } from './plain-error.ts';
import { clearPreviousRun, runningSupervisor } from './previous-run.ts';
import { readSettings } from './read-settings.ts';
import { print, runCommand } from './terminal.ts';

const help = `Usage: npm run reset

Deletes the data in DATA_DIR without a question: the embedded database, secrets, logs and demo credentials.
A database named by DATABASE_URL is not changed.`;

// Only files that Paidonce creates are deleted, in case DATA_DIR is set to the user's home by mistake.
const ownFiles = /^(postgres(\.partial|\.password)?|logs|(secrets|demo|run)\.json(\..+)?)$/;

async function reset(args: string[]): Promise<void> {
  // A mistyped option, or one that there is not, such as --dry-run, must not delete anything.
  if (args.length > 0) throw new PlainError(`"${args[0]}" is not an option; --help explains the command.`);
  const { DATA_DIR: directory, DATABASE_URL: databaseUrl } = readSettings();
  const runFile = path.join(directory, 'run.json');
  const pid = runningSupervisor(runFile);
  if (pid !== undefined)
    throw new PlainError(`Paidonce is running in ${directory} (process ${pid}); stop it first.`);
  if (!existsSync(directory)) return print(`There is nothing in ${directory}.`);
  await clearPreviousRun(runFile);
  for (const name of readdirSync(directory).filter((entry) => ownFiles.test(entry))) {
    const entry = path.join(directory, name);
    // If PostgreSQL cannot enter the user's home, its data is elsewhere and this entry is a link to it.
    if (existsSync(entry)) rmSync(realpathSync(entry), { recursive: true, force: true });
    rmSync(entry, { recursive: true, force: true });
  }
  if (readdirSync(directory).length === 0) rmdirSync(directory);
  print(`Deleted the data in ${directory}.`);
  if (databaseUrl) print('The database that DATABASE_URL names was not changed.');
}

await runCommand(help, reset);
