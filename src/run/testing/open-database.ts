import { openDatabase } from '#server/database.ts';
import { createTestDatabase } from './database.ts';

/** A database of its own with every migration applied, and the server's client for it; closed and dropped together. */
export async function openTestDatabase() {
  const database = await createTestDatabase({ template: 'app' });
  const db = openDatabase(database.url);
  async function close(): Promise<void> {
    await db.$disconnect();
    await database.drop();
  }
  return { db, url: database.url, close };
}

export type OpenDatabase = Awaited<ReturnType<typeof openTestDatabase>>;
