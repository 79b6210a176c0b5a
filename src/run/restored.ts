import { openGap, skipGap } from '#reconciliation/index.ts';
import { openDatabase } from '#server/database.ts';
import { checkDatabase } from './database.ts';
import { findDatabase } from './find-database.ts';
import { applyMigrations } from './migrate.ts';
import { readSettings } from './read-settings.ts';
import { readSince } from './read-since.ts';
import { bold, print, runCommand } from './terminal.ts';

const help = `Usage: npm run restored -- --since 2026-11-17T08:30:00Z
       npm run restored -- --another-account

After a restore that PostgreSQL does not notice, such as a snapshot of its disk: says since when commits may be missing. Until
the worker has compared all that the provider has made since then, payments and refunds get 503 and may be sent again.

  --since            when the snapshot was taken, or earlier, with its time zone
  --another-account  this is a copy for use with another account of the provider, such as for tests: it is compared with nothing.
                     With the account that it was used with, what was lost would be charged or paid back a second time

A promoted standby and a backup that was recovered from an archive are noticed without it. It works on DATABASE_URL or, when
that is not set, on the embedded database while "npm start" runs.`;

async function declareRestored(args: string[]): Promise<void> {
  const isElsewhere = args.length === 1 && args[0] === '--another-account';
  const since = isElsewhere ? undefined : readSince(args);
  const databaseUrl = findDatabase(readSettings());
  await checkDatabase(databaseUrl, 'DATABASE_URL');
  await applyMigrations(databaseUrl);
  const db = openDatabase(databaseUrl);
  try {
    if (!since)
      return print(
        (await skipGap(db)) ? 'Nothing is compared, and payments go on.' : 'There is nothing to compare.',
      );
    await openGap(db, since);
  } finally {
    await db.$disconnect();
  }
  print(`Nothing is charged or paid back until all since ${bold(since.toISOString())} has been compared.`);
}

await runCommand(help, declareRestored);
