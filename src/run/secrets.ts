import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { PlainError } from './plain-error.ts';

const generators = {
  AUTH_SECRET: () => randomBytes(32).toString('base64url'),
  RESPONSE_KEYS: () => `k1:${randomBytes(32).toString('base64')}`,
  SANDBOX_SECRET_KEY: () => `sk_test_${randomBytes(24).toString('hex')}`,
  SANDBOX_WEBHOOK_SECRET: () => `whsec_${randomBytes(24).toString('hex')}`,
  // Of the embedded server. It is not a setting, because no user has to know it.
  POSTGRES_PASSWORD: () => randomBytes(24).toString('hex'),
} as const;

export type Secrets = Record<keyof typeof generators, string>;

// Generated once and kept: with other keys the existing sessions, stored responses and database could not be read.
export function loadSecrets(file: string): Secrets {
  let kept: Partial<Secrets> = {};
  if (existsSync(file)) {
    try {
      kept = JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>;
    } catch {
      throw new PlainError(
        `${file} cannot be read as JSON; restore it or, if the data can be deleted, run "npm run reset".`,
      );
    }
  }
  const names = Object.keys(generators) as (keyof Secrets)[];
  const secrets = Object.fromEntries(
    names.map((name) => [name, kept[name] ?? generators[name]()]),
  ) as Secrets;
  if (names.some((name) => kept[name] === undefined)) {
    const partial = `${file}.${process.pid}`;
    writeFileSync(partial, `${JSON.stringify({ ...kept, ...secrets }, null, 2)}\n`, { mode: 0o600 });
    renameSync(partial, file);
  }
  return secrets;
}
