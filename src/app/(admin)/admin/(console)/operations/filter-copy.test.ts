import { expect, test } from 'vitest';
import { readFilterQuery, writeFilter } from '#console/operations-list/operation-filter.ts';
import { chipsOf, hrefOfStatus } from './filter-copy.ts';

test('each filter is a chip that removes it, and no other', () => {
  const address =
    'q=x&kind=payment.create&outcome=declined&older=1h&younger=7d&became_unknown=1h&resolved=1d&currency=eur&error=lease_expired&reference=A&key=12345678&misused=1h&shop=all&sort=oldest';
  const filter = readFilterQuery(address);
  const chips = chipsOf(filter, []);
  expect(chips.map(({ label }) => label)).toContain('Key misused in the last 1h');
  for (const { href, label } of chips) {
    const left = readFilterQuery(href.split('?')[1] ?? '');
    expect(chipsOf(left, []), label).toHaveLength(chips.length - 1);
  }
  expect(chips).toHaveLength(14);
});

test('another status removes the filters that only unknown operations can match', () => {
  const filter = readFilterQuery('due=1&escalated=1&sort=unknown&reference=A');
  expect(hrefOfStatus(filter, 'completed')).toBe('/admin/operations?status=completed&reference=A');
  expect(hrefOfStatus(filter, 'unknown')).toBe(`/admin/operations?${writeFilter(filter)}`);
});
