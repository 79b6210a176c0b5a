import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { migrationsDirectory } from './migrations.ts';
import { PlainError } from './plain-error.ts';
import { diffMigrationsToSchema } from './prisma-engine.ts';
import { startScratchPostgres } from './scratch-postgres.ts';
import { print, runCommand } from './terminal.ts';

const help = `Usage: npm run migration:new -- <name>

Writes prisma/migrations/<time>_<name>/migration.sql with the SQL from the existing migrations to
prisma/schema.prisma. Read it, and add by hand what Prisma cannot express: CHECKs, partial indexes, triggers.
When the two agree already, the file is empty for SQL of your own.`;

// A temporary server, so that the command neither needs a running database nor changes one.
async function diffInScratchServer(): Promise<string> {
  const server = await startScratchPostgres();
  try {
    return await diffMigrationsToSchema(server.url('postgres'));
  } finally {
    await server.stop();
  }
}

async function writeMigration(name: string | undefined): Promise<void> {
  if (name === undefined || !/^[a-z][a-z0-9_]*$/.test(name)) {
    throw new PlainError(
      'A migration needs a name in lower case with underscores: npm run migration:new -- add_refunds',
    );
  }
  const sql = await diffInScratchServer();
  const time = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const file = path.join(migrationsDirectory, `${time}_${name}`, 'migration.sql');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, sql);
  // Prisma's own command needs this file.
  writeFileSync(path.join(migrationsDirectory, 'migration_lock.toml'), 'provider = "postgresql"\n');
  print(
    `Wrote ${path.relative(process.cwd(), file)}${sql === '' ? ' (empty: the schema has not changed)' : ''}`,
  );
}

await runCommand(help, ([name]) => writeMigration(name));
