import { withClient } from './database-client.ts';
import { databaseOf, serverOf, withDatabase } from './database-url.ts';
import { describe, PlainError } from './plain-error.ts';

type DatabaseError = Error & { code?: string };

function explain(error: DatabaseError, setting: string, url: string): string {
  const username = decodeURIComponent(new URL(url).username);
  const host = serverOf(url);
  switch (error.code) {
    case '28P01':
    case '28000':
      return `PostgreSQL at ${host} refuses the login of "${username}"; check the user and password in ${setting}.`;
    case '3D000':
      return `PostgreSQL at ${host} has no database "${databaseOf(url)}"; create it or change ${setting}.`;
    case '42501':
      return `PostgreSQL at ${host} does not let "${username}" connect to "${databaseOf(url)}"; grant it CONNECT or change ${setting}.`;
    case '53300':
      return `PostgreSQL at ${host} has no connections left; check ${setting}.`;
    default:
      return `PostgreSQL at ${host} does not respond (${describe(error)}); start it or change ${setting}.`;
  }
}

export async function checkDatabase(url: string, setting: string): Promise<void> {
  try {
    await withClient(url, (client) => client.query('SELECT 1'));
  } catch (error) {
    throw new PlainError(explain(error as DatabaseError, setting, url));
  }
}

async function exists(url: string): Promise<boolean> {
  try {
    await withClient(url, (client) => client.query('SELECT 1'));
    return true;
  } catch (error) {
    if ((error as DatabaseError).code === '3D000') return false;
    throw error;
  }
}

// CREATE DATABASE needs a connection to an existing database on the same server.
export async function ensureDatabase(existingUrl: string, name: string): Promise<string> {
  const url = withDatabase(existingUrl, name);
  if (await exists(url)) return url;
  const statement = `CREATE DATABASE "${name.replaceAll('"', '""')}"`;
  await withClient(existingUrl, (client) => client.query(statement)).catch(async (error) => {
    // Another start may have created it meanwhile.
    if (!(await exists(url))) throw error;
  });
  return url;
}

// The sandbox represents another company and shares no database with the app.
export async function ensureSandboxDatabase(appUrl: string): Promise<string> {
  const name = `${databaseOf(appUrl)}_sandbox`;
  try {
    return await ensureDatabase(appUrl, name);
  } catch (error) {
    throw new PlainError(
      `The sandbox needs a database of its own, and "${name}" could not be created (${describe(error)}); create it or set SANDBOX_DATABASE_URL.`,
    );
  }
}
