import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { describe } from 'vitest';
import { PrismaClient } from '#prisma';
import { createTestDatabase } from '#run/testing/database.ts';
import { findPgBouncer, openPgBouncer } from '#run/testing/pgbouncer.ts';
import { describeStoreContract } from '../testing/store-contract.ts';
import { createPgDriver } from './pg-driver.ts';
import { createPostgresStore } from './postgres.ts';
import { createCombinedDriver } from './prisma.ts';

const program = await findPgBouncer();

async function open() {
  if (!program) throw new Error('PgBouncer is not installed.');
  const database = await createTestDatabase({ template: 'app' });
  // It sends nothing of its own before a session goes to another client: the session is really shared.
  const bouncer = await openPgBouncer(program, database.url, { server_check_delay: 0 });
  const pool = new pg.Pool({ connectionString: bouncer.url, max: 10, pipeline: true });
  const db = new PrismaClient({ adapter: new PrismaPg(pool) });
  const close = async () => {
    await db.$disconnect();
    await pool.end();
    await bouncer.close();
    await database.drop();
  };
  return { pool, db, close };
}

describe.skipIf(!program)(
  'through PgBouncer in transaction mode (skipped where it cannot be installed)',
  () => {
    describeStoreContract('PostgreSQL through pg', async () => {
      const { pool, close } = await open();
      return { store: createPostgresStore(createPgDriver(pool, { pooler: true })), close };
    });

    describeStoreContract('PostgreSQL through pg, with transactions of Prisma', async () => {
      const { pool, db, close } = await open();
      return { store: createPostgresStore(createCombinedDriver(pool, db, { pooler: true })), close };
    });
  },
);
