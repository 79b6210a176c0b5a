import { existsSync, lstatSync, readdirSync, readlinkSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { acquireDataDirectory } from './data-directory.ts';
import { isDiskError, PlainError } from './plain-error.ts';
import { readSettings } from './read-settings.ts';
import { print, runCommand } from './terminal.ts';

const help = `Usage: npm run reset

Deletes the data in DATA_DIR without a question: the embedded database, secrets, logs and demo credentials.
A database named by DATABASE_URL is not changed.`;

// Only files that Paidonce creates are deleted, in case DATA_DIR is set to the user's home by mistake.
const ownFiles = /^(postgres(\.partial.*|\.password|\.deleted)?|logs|(secrets|demo|run)\.json(\..+)?)$/;

async function reset(args: string[]): Promise<void> {
  // A mistyped option, or one that there is not, such as --dry-run, must not delete anything.
  if (args.length > 0) throw new PlainError(`"${args[0]}" is not an option; --help explains the command.`);
  const { DATA_DIR: directory, DATABASE_URL: databaseUrl } = readSettings();
  const runFile = path.join(directory, 'run.json');
  if (!existsSync(directory)) return print(`There is nothing in ${directory}.`);
  // No start may begin meanwhile.
  await acquireDataDirectory(runFile, print).catch((error: unknown) => {
    // A full disk has no room for that; it is what a reset may be for.
    if (!isDiskError(error)) throw error;
  });
  const names = readdirSync(directory).filter((name) => ownFiles.test(name) && name !== 'run.json');
  deletePostgres(path.join(directory, 'postgres'));
  for (const name of names) rmSync(path.join(directory, name), { recursive: true, force: true });
  rmSync(runFile, { force: true });
  if (readdirSync(directory).length === 0) rmdirSync(directory);
  print(`Deleted the data in ${directory}.`);
  if (databaseUrl) print('The database that DATABASE_URL names was not changed.');
}

// Renamed before it is deleted: PostgreSQL might start on half of its files if this process is killed meanwhile.
function deletePostgres(entry: string): void {
  const found = lstatSync(entry, { throwIfNoEntry: false });
  // If PostgreSQL cannot enter the user's home, its data is elsewhere and this entry is a link to it.
  const data = found?.isSymbolicLink() ? readlinkSync(entry) : entry;
  const deleted = `${data}.deleted`;
  rmSync(deleted, { recursive: true, force: true });
  if (existsSync(data)) renameSync(data, deleted);
  rmSync(entry, { force: true });
  rmSync(deleted, { recursive: true, force: true });
}

await runCommand(help, reset);
