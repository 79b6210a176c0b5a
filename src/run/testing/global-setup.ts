import type { TestProject } from 'vitest/node';
import { withClient } from '#run/database-client.ts';
import { applyMigrations } from '#run/migrate.ts';
import { startScratchPostgres } from '#run/scratch-postgres.ts';
import { templateDatabase } from './template.ts';

// One server for the whole run; a test file gets databases of its own from it.
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const server = await startScratchPostgres();
  try {
    const serverUrl = server.url('postgres');
    await withClient(serverUrl, (client) => client.query(`CREATE DATABASE ${templateDatabase}`));
    await applyMigrations(server.url(templateDatabase));
    // A session after the last change writes the catalogue's cache, which every copy then has, instead of making its own.
    await withClient(server.url(templateDatabase), (client) => client.query('SELECT'));
    project.provide('postgresUrl', serverUrl);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return () => server.stop();
}
