import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { PlainError } from './plain-error.ts';

const makers = {
  AUTH_SECRET: () => randomBytes(32).toString('base64url'),
  RESPONSE_KEYS: () => `k1:${randomBytes(32).toString('base64')}`,
  SANDBOX_SECRET_KEY: () => `sk_test_${randomBytes(24).toString('hex')}`,
  SANDBOX_WEBHOOK_SECRET: () => `whsec_${randomBytes(24).toString('hex')}`,
  // Only the embedded server's; it is no setting, because no user has to know it.
  POSTGRES_PASSWORD: () => randomBytes(24).toString('hex'),
} as const;

export type Secrets = Record<keyof typeof makers, string>;

// Made once and kept: with other keys yesterday's sessions, stored responses and database would be unreadable.
export function loadSecrets(file: string): Secrets {
  let kept: Partial<Secrets> = {};
  if (existsSync(file)) {
    try {
      kept = JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>;
    } catch {
      throw new PlainError(
        `${file} cannot be read as JSON; restore it or, if the data may go, run "npm run reset".`,
      );
    }
  }
  const names = Object.keys(makers) as (keyof Secrets)[];
  const secrets = Object.fromEntries(names.map((name) => [name, kept[name] ?? makers[name]()])) as Secrets;
  if (names.some((name) => kept[name] === undefined)) {
    const partial = `${file}.${process.pid}`;
    writeFileSync(partial, `${JSON.stringify({ ...kept, ...secrets }, null, 2)}\n`, { mode: 0o600 });
    renameSync(partial, file);
  }
  return secrets;
}
