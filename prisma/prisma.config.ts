import path from 'node:path';
import { defineConfig } from 'prisma/config';

// Only the `prisma` command reads this; the app applies its migrations in src/run/migrate.ts.
const databaseUrl = process.env.DATABASE_URL;

export default defineConfig({
  schema: path.join(import.meta.dirname, 'schema.prisma'),
  migrations: { path: path.join(import.meta.dirname, 'migrations') },
  ...(databaseUrl !== undefined && { datasource: { url: databaseUrl } }),
});
