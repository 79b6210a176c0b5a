import { expect, test } from 'vitest';
import { kinds, readFilterQuery, writeFilter } from '#console/operations-list/operation-filter.ts';
import { askedWords, kindWords, outcomeWords } from '#ui/admin/operation-copy.ts';
import { chipsOf, hrefOfStatus } from './filter-copy.ts';

test.each(kinds)('%s has words of its own', (kind) => {
  for (const words of [kindWords(kind), askedWords(kind)]) expect(words).not.toBe(kind);
  expect(outcomeWords('succeeded', kind)).not.toBe('succeeded');
});

test('each filter is a chip that takes it away, and nothing else with it', () => {
  const address =
    'q=x&kind=payment.create&outcome=declined&older=1h&younger=7d&doubted=1h&known=1d&currency=eur&error=lease_expired&reference=A&key=12345678&misused=1h&shop=all&sort=oldest';
  const filter = readFilterQuery(address);
  const chips = chipsOf(filter, []);
  expect(chips.map(({ words }) => words)).toContain('Key misused in the last 1h');
  for (const { href, words } of chips) {
    const left = readFilterQuery(href.split('?')[1] ?? '');
    expect(chipsOf(left, []), words).toHaveLength(chips.length - 1);
  }
  expect(chips).toHaveLength(14);
});

test('what only unknown ones can be is let go with another status', () => {
  const filter = readFilterQuery('due=1&escalated=1&sort=unknown&reference=A');
  expect(hrefOfStatus(filter, 'completed')).toBe('/admin/operations?status=completed&reference=A');
  expect(hrefOfStatus(filter, 'unknown')).toBe(`/admin/operations?${writeFilter(filter)}`);
});
