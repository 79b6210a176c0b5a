import { expect, test } from 'vitest';
import { type Context, readingIdentityOnce } from './context.ts';

function countingContext() {
  const reads = { session: 0, memberships: [] as string[] };
  const identity: Context['identity'] = {
    async session() {
      reads.session += 1;
      return null;
    },
    async memberships(userId) {
      reads.memberships.push(userId);
      return [];
    },
  };
  return { reads, context: { identity } as unknown as Context };
}

test('all calls of one rendering or batch share one read of the session and of the memberships', async () => {
  const { reads, context } = countingContext();
  const { identity } = readingIdentityOnce(context);
  await Promise.all([identity.session(), identity.session(), identity.session()]);
  await Promise.all([identity.memberships('ada'), identity.memberships('ada'), identity.memberships('bob')]);
  expect(reads).toEqual({ session: 1, memberships: ['ada', 'bob'] });
});

test('the next rendering reads both again', async () => {
  const { reads, context } = countingContext();
  for (const { identity } of [readingIdentityOnce(context), readingIdentityOnce(context)]) {
    await identity.session();
    await identity.memberships('ada');
  }
  expect(reads).toEqual({ session: 2, memberships: ['ada', 'ada'] });
});
