import { existsSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'prisma/config';

// Only the `prisma` command reads this; the app applies its migrations in src/run/migrate.ts.
// It reads no .env by itself, and its advisory lock needs PostgreSQL itself rather than a pooler.
const environmentFile = path.join(import.meta.dirname, '.env');
if (existsSync(environmentFile)) process.loadEnvFile(environmentFile);
const databaseUrl = process.env.DIRECT_DATABASE_URL || process.env.DATABASE_URL || undefined;

export default defineConfig({
  schema: path.join(import.meta.dirname, 'prisma/schema.prisma'),
  migrations: { path: path.join(import.meta.dirname, 'prisma/migrations') },
  ...(databaseUrl !== undefined && { datasource: { url: databaseUrl } }),
});
