import path from 'node:path';
import { withClient } from '#run/database-client.ts';
import { superuser } from '#run/postgres/initialise.ts';
import { readPostmasterFile } from '#run/postgres/orphan.ts';
import { loadSecrets } from '#run/secrets.ts';
import type { House } from '../running-app.ts';

/**
 * The house's own database, for what no test can wait for: a message that is given up on after four days, a check that
 * is due in a minute and a half, a table that cannot be read just now.
 */
export function inDatabase<T>(house: House, work: Parameters<typeof withClient<T>>[1]): Promise<T> {
  const server = readPostmasterFile(path.join(house.dataDirectory, 'postgres'));
  if (server?.status !== 'ready') throw new Error('The house has no database at the moment.');
  const { POSTGRES_PASSWORD } = loadSecrets(path.join(house.dataDirectory, 'secrets.json'));
  const password = encodeURIComponent(POSTGRES_PASSWORD);
  return withClient(`postgresql://${superuser}:${password}@127.0.0.1:${server.port}/paidonce`, work);
}
