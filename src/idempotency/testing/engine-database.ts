import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '#prisma';
import { createTestDatabase, withClient } from '#run/testing/database.ts';

const migrations = path.join(import.meta.dirname, '../../../prisma/migrations');

/** The engine's own migration, which other applications copy as well. */
function readMigration(): string {
  const [name, ...others] = readdirSync(migrations).filter((entry) => entry.endsWith('_idempotency'));
  if (!name || others.length > 0) throw new Error('The engine has exactly one migration.');
  return readFileSync(path.join(migrations, name, 'migration.sql'), 'utf8');
}

/** A database with nothing but the engine's tables, as an application has it that copies the migration. */
export async function createEngineDatabase(adapt: (migration: string) => string = (migration) => migration) {
  const database = await createTestDatabase();
  await withClient(database.url, (client) => client.query(adapt(readMigration())));

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
