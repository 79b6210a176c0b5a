import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PlainError } from '#run/plain-error.ts';
import { type Account, canEnter, canExecute } from './account.ts';
import type { Binaries } from './binaries.ts';

// When PostgreSQL runs under another account, that account must be able to read the binaries and the data. Below a home
// of mode 0700 it cannot; then both are in a directory outside the checkout.
function openRuntimeDirectory(): string {
  for (const parent of ['/var/lib', os.tmpdir()]) {
    const directory = path.join(parent, 'paidonce');
    try {
      mkdirSync(directory, { recursive: true });
      const found = lstatSync(directory);
      // In a shared temporary directory another user may have created a directory or a link of this name.
      if (found.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0) {
        chmodSync(directory, 0o755);
        return directory;
      }
    } catch {
      // Read-only or missing: the next candidate is tried.
    }
  }
  throw new PlainError(
    'The account PostgreSQL runs under cannot reach this checkout, and neither /var/lib nor the temporary directory could be used for its files; move the checkout or set DATABASE_URL.',
  );
}

export function placeBinaries(binaries: Binaries, account: Account): string {
  const postgres = path.join(binaries.directory, 'bin', 'postgres');
  if (account === undefined || canExecute(postgres, ['--version'], account)) return binaries.directory;
  const target = path.join(openRuntimeDirectory(), `postgresql-${binaries.version}`);
  if (!existsSync(target)) {
    // Copied under another name and renamed, so that a partial copy is never used.
    const partial = `${target}.${process.pid}`;
    cpSync(binaries.directory, partial, { recursive: true, verbatimSymlinks: true });
    // Under a strict umask npm unpacks files that only root can read.
    spawnSync('chmod', ['-R', 'a+rX', partial]);
    if (existsSync(target)) rmSync(partial, { recursive: true });
    else renameSync(partial, target);
  }
  if (!canExecute(path.join(target, 'bin', 'postgres'), ['--version'], account)) {
    throw new PlainError(`PostgreSQL in ${target} does not start on this machine; set DATABASE_URL instead.`);
  }
  return target;
}

// Returns the real path of the data. `wanted` is the path that the other code uses, possibly a link.
export function placeData(wanted: string, account: Account): string {
  if (existsSync(wanted)) {
    const real = realpathSync(wanted);
    if (canEnter(real, account)) return real;
    throw new PlainError(
      `The account PostgreSQL runs under cannot enter ${real}; open the directories above it or run "npm run reset".`,
    );
  }
  // A link whose target is gone holds no data.
  rmSync(wanted, { force: true });
  const parent = path.dirname(wanted);
  mkdirSync(parent, { recursive: true });
  if (account === undefined || canEnter(parent, account))
    return path.join(realpathSync(parent), path.basename(wanted));
  const hash = createHash('sha256').update(realpathSync(parent)).digest('hex').slice(0, 16);
  const data = path.join(openRuntimeDirectory(), `data-${hash}`);
  symlinkSync(data, wanted);
  return data;
}
