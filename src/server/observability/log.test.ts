import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync } from 'node:fs';
import path from 'node:path';
import { TRPCError } from '@trpc/server';
import { expect, test } from 'vitest';
import { openDatabase } from '../database.ts';
import { describeError } from './log.ts';

test('a query that Prisma does not understand is logged with what is wrong and without its values', async () => {
  // No server listens there: the query is refused before it is sent.
  const db = openDatabase('postgresql://127.0.0.1:9/none');
  const secret = randomUUID();
  const data = { id: 'a', name: 'two\n}\nlines', email: secret, colour: { red: secret } } as never;
  const error: Error = await db.user.create({ data }).catch((reason) => reason);
  expect(error.message).toContain(secret);
  for (const thrown of [error, new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause: error })]) {
    const line = JSON.stringify(describeError(thrown));
    expect(line).toContain('colour');
    expect(line).not.toContain(secret);
  }
  await db.$disconnect();
});

test.skipIf(!existsSync('/dev/full'))(
  'a process goes on while its log cannot be written, as on a full disk, and can still be ended',
  () => {
    const program = `
      import { setImmediate } from 'node:timers/promises';
      import { createLog } from ${JSON.stringify(path.join(import.meta.dirname, 'log.ts'))};
      const log = createLog('test', 'info');
      for (let line = 0; line < 100; line++) {
        log.info('a line');
        await setImmediate();
      }
      process.stderr.write('went on');
      process.exit(0);`;
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
      timeout: 20_000,
    });
    closeSync(full);
    expect([stderr, status]).toEqual(['went on', 0]);
  },
);
