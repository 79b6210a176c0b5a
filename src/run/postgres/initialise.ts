import { spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { PlainError } from '#run/plain-error.ts';
import type { Account } from './account.ts';
import { serverEnvironment } from './environment.ts';

export const superuser = 'paidonce';

export type Initialise = {
  binaries: string;
  data: string;
  password: string;
  account: Account;
  durable: boolean;
};

function checkVersion(binaries: string, data: string): void {
  const made = readFileSync(path.join(data, 'PG_VERSION'), 'utf8').trim();
  // initdb fills the catalogue from this file, whose first line names the major version of the binaries.
  const ours = readFileSync(path.join(binaries, 'share', 'postgresql', 'postgres.bki'), 'utf8').slice(0, 40);
  if (!ours.includes(`PostgreSQL ${made}`)) {
    throw new PlainError(
      `The data in ${data} was made by PostgreSQL ${made}, which is not the embedded version; run "npm run reset" or restore the old version.`,
    );
  }
}

// Created next to its final path and renamed, so that a partial directory of a killed run is never used as a database. Its name is
// new each time: initdb outlives a process that is killed, and deletes what is in its directory when it fails.
export async function initialiseData(options: Initialise): Promise<void> {
  const { binaries, data, account } = options;
  if (existsSync(path.join(data, 'PG_VERSION'))) return checkVersion(binaries, data);
  mkdirSync(path.dirname(data), { recursive: true });
  deletePartials(data);
  const partial = mkdtempSync(`${data}.partial-`);
  const passwordFile = `${partial}.password`;
  try {
    writeFileSync(passwordFile, options.password, { mode: 0o600, flag: 'wx' });
    if (account) for (const file of [partial, passwordFile]) chownSync(file, account.uid, account.gid);
    await runInitdb(options, partial, passwordFile);
    // The rename replaces an empty directory, and fails if the directory has files.
    renameSync(partial, data);
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(partial, { recursive: true, force: true });
  }
}

function deletePartials(data: string): void {
  const directory = path.dirname(data);
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(`${path.basename(data)}.partial`)) continue;
    try {
      rmSync(path.join(directory, name), { recursive: true, force: true });
    } catch {
      // A process that outlived the killed run may be writing there; the next start deletes it.
    }
  }
}

function runInitdb(options: Initialise, partial: string, passwordFile: string): Promise<void> {
  const args = [
    `--pgdata=${partial}`,
    `--username=${superuser}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The built-in locale sorts the same way on every machine, independent of its libc and ICU.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    // The password of a test's server is random, so guessing it does not have to be slow.
    ...(options.durable ? [] : ['--no-sync', '--no-data-checksums', '--set=scram_iterations=1']),
  ];
  return new Promise((resolve, reject) => {
    const initdb = spawn(path.join(options.binaries, 'bin', 'initdb'), args, {
      ...options.account,
      cwd: partial,
      env: serverEnvironment,
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    let errors = '';
    initdb.stderr.on('data', (chunk: Buffer) => {
      errors += chunk;
    });
    initdb.once('error', reject);
    initdb.once('close', (code) => {
      if (code === 0) resolve();
      else
        reject(
          new PlainError(`PostgreSQL could not create its data directory: ${errors.trim().split('\n')[0]}`),
        );
    });
  });
}
