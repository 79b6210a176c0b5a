import path from 'node:path';
import type { Settings } from '#server/env.ts';
import { PlainError } from './plain-error.ts';
import { superuser } from './postgres/initialise.ts';
import { readPostmasterFile } from './postgres/orphan.ts';
import { loadSecrets } from './secrets.ts';

// The address of PostgreSQL itself, for a command that runs beside "npm start".
export function findDatabase(settings: Settings): string {
  if (settings.DATABASE_URL !== undefined) return settings.DIRECT_DATABASE_URL ?? settings.DATABASE_URL;
  const server = readPostmasterFile(path.join(settings.DATA_DIR, 'postgres'));
  if (server?.status !== 'ready') {
    throw new PlainError(
      'There is no database to work on: set DATABASE_URL, or start Paidonce first, because the embedded database runs only with it.',
    );
  }
  const { POSTGRES_PASSWORD } = loadSecrets(path.join(settings.DATA_DIR, 'secrets.json'));
  return `postgresql://${superuser}:${encodeURIComponent(POSTGRES_PASSWORD)}@127.0.0.1:${server.port}/paidonce`;
}
