import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync } from 'node:fs';
import path from 'node:path';
import { TRPCError } from '@trpc/server';
import { describe, expect, test } from 'vitest';
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

describe.skipIf(!existsSync('/dev/full'))('a log that cannot be written, as on a full disk', () => {
  test.each([
    ['before the process knows of it', ''],
    ['after the process knows of it', 'await setImmediate();'],
  ])('ends neither the process nor keeps it from ending: %s', (_, pause) => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = logHundredLines(pause, full);
    closeSync(full);
    expect([stderr, status]).toEqual(['went on', 0]);
  });
});

test('the last lines are written before the process ends', () => {
  const { stdout, status } = logHundredLines('', 'pipe');
  expect(status).toBe(0);
  expect(stdout.match(/"msg":"a line"/g)).toHaveLength(100);
  expect(stdout.endsWith('\n')).toBe(true);
});

function logHundredLines(pause: string, stdout: number | 'pipe') {
  const program = `
    import { setImmediate } from 'node:timers/promises';
    import { createLog } from ${JSON.stringify(path.join(import.meta.dirname, 'log.ts'))};
    const log = createLog('test', 'info');
    for (let line = 0; line < 100; line++) {
      log.info('a line');
      ${pause}
    }
    process.stderr.write('went on');
    process.exit(0);`;
  return spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', stdout, 'pipe'],
    encoding: 'utf8',
    timeout: 20_000,
  });
}
