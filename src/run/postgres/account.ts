import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { PlainError } from '#run/plain-error.ts';

// PostgreSQL refuses to run as root. `undefined` means: as whoever we are.
export type Account = { uid: number; gid: number } | undefined;

function lookUp(name: string): Account {
  const ids = ['-u', '-g'].map((flag) => {
    const answer = spawnSync('id', [flag, name], { encoding: 'utf8' });
    return answer.status === 0 ? Number(answer.stdout.trim()) : Number.NaN;
  });
  const [uid = Number.NaN, gid = Number.NaN] = ids;
  return Number.isInteger(uid) && Number.isInteger(gid) && uid !== 0 ? { uid, gid } : undefined;
}

// Data that exists already keeps its owner, so that an account which appears later, or a first run as an ordinary
// user, does not lock us out. No account is ever created on somebody's machine.
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
  const answer = spawnSync(command, args, { ...account, cwd: '/', stdio: 'ignore', timeout: 10_000 });
  return answer.status === 0;
}

// Asked of the kernel rather than computed from mode bits, so that ACLs, mount flags and the like have their say.
export function canEnter(directory: string, account: Account): boolean {
  return canExecute('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], account);
}
