import { expect, test } from 'vitest';
import { Changes } from './changes.ts';
import { type Commit, statementFor } from './commit-statement.ts';

/** A request that has read and changes a row of every kind. */
function commitOfAllKinds(isAnnounced: boolean): Commit {
  const changes = new Changes();
  for (const rows of [changes.intents, changes.charges, changes.refunds] as Map<string, object>[]) {
    rows.set('x', { id: 'x', version: 1 });
  }
  changes.endpoints.push({} as Changes['endpoints'][number]);
  if (isAnnounced) changes.events.push({} as Changes['events'][number]);
  return { changes, key: { key: 'k' } as Commit['key'] };
}

test('two statements never have one name for PostgreSQL, which keeps 63 characters of it', () => {
  const names = [true, false].map((isAnnounced) => statementFor([commitOfAllKinds(isAnnounced)]).name);
  expect(new Set(names.map((name) => name.slice(0, 63))).size).toBe(2);
  expect(Math.max(...names.map(({ length }) => length))).toBeLessThanOrEqual(63);
});
