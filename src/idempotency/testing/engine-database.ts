import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '#prisma';
import { createTestDatabase, withClient } from '#run/testing/database.ts';

const migrations = path.join(import.meta.dirname, '../../../prisma/migrations');

/** The engine's own migrations, which other applications copy as well. */
function readMigrations(): string {
  return (
    readdirSync(migrations)
      .filter((entry) => /^\d+_idempotency/.test(entry))
      .sort()
      .map((entry) => readFileSync(path.join(migrations, entry, 'migration.sql'), 'utf8'))
      .join('\n')
      // They are one statement here, and nothing waits for tables that are empty.
      .replaceAll('INDEX CONCURRENTLY', 'INDEX')
  );
}

/** A database with nothing but the engine's tables, as an application has it that copies their migrations. */
export async function createEngineDatabase(adapt: (sql: string) => string = (sql) => sql) {
  const database = await createTestDatabase();
  await withClient(database.url, (client) => client.query(adapt(readMigrations())));

  const clients: PrismaClient[] = [];
  return {
    url: database.url,
    open(): PrismaClient {
      const db = new PrismaClient({ adapter: new PrismaPg({ connectionString: database.url, max: 5 }) });
      clients.push(db);
      return db;
    },
    async close(): Promise<void> {
      await Promise.all(clients.map((db) => db.$disconnect()));
      await database.drop();
    },
  };
}
