import { randomUUID } from 'node:crypto';
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
