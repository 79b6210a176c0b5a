import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { PlainError } from '#run/plain-error.ts';

// The account of the server, because PostgreSQL refuses to run as root. `undefined` is the current user.
export type Account = { uid: number; gid: number } | undefined;

function lookUp(name: string): Account {
  const ids = ['-u', '-g'].map((flag) => {
    const result = spawnSync('id', [flag, name], { encoding: 'utf8' });
    return result.status === 0 ? Number(result.stdout.trim()) : Number.NaN;
  });
  const [uid = Number.NaN, gid = Number.NaN] = ids;
  return Number.isInteger(uid) && Number.isInteger(gid) && uid !== 0 ? { uid, gid } : undefined;
}

// Existing data keeps its owner, so that it stays readable when a `postgres` account is added later or the first run was as
// an ordinary user. No account is created on the user's machine.
export function chooseAccount(dataDirectory: string): Account {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(dataDirectory, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const account = lookUp('postgres') ?? lookUp('nobody');
  if (account === undefined) {
    throw new PlainError(
      'PostgreSQL refuses to run as root and there is neither a "postgres" nor a "nobody" account; run as an ordinary user or set DATABASE_URL.',
    );
  }
  return account;
}

export function canExecute(command: string, args: string[], account: Account): boolean {
  const result = spawnSync(command, args, { ...account, cwd: '/', stdio: 'ignore', timeout: 10_000 });
  return result.status === 0;
}

// Tried rather than computed from mode bits, because ACLs and mount flags count too.
export function canEnter(directory: string, account: Account): boolean {
  return canExecute('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], account);
}
