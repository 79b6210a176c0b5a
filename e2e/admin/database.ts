import path from 'node:path';
import { withClient } from '#run/database-client.ts';
import { superuser } from '#run/postgres/initialise.ts';
import { readPostmasterFile } from '#run/postgres/orphan.ts';
import { loadSecrets } from '#run/secrets.ts';
import type { RunningApp } from '../running-app.ts';

/**
 * The app's own database, for states that a test cannot wait for: a message that failed after four days of retries, a
 * check that is due in a minute and a half, a table that cannot be read.
 */
export function inDatabase<T>(app: RunningApp, work: Parameters<typeof withClient<T>>[1]): Promise<T> {
  const server = readPostmasterFile(path.join(app.dataDirectory, 'postgres'));
  if (server?.status !== 'ready') throw new Error('The embedded database is not running.');
  const { POSTGRES_PASSWORD } = loadSecrets(path.join(app.dataDirectory, 'secrets.json'));
  const password = encodeURIComponent(POSTGRES_PASSWORD);
  return withClient(`postgresql://${superuser}:${password}@127.0.0.1:${server.port}/paidonce`, work);
}
