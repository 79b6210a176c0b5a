import { expect, test } from 'vitest';
import { counters, gauges, histograms } from './catalogue.ts';
import { alerts, panels, type Query, rules, selectorsIn } from './testing/queries.ts';

/** `metrics.db.test.ts` proves that /api/metrics exports every name of the catalogue with its labels. */
const exported = [
  ...Object.keys({ ...counters, ...gauges }),
  ...Object.keys(histograms).flatMap((name) => [`${name}_bucket`, `${name}_sum`, `${name}_count`]),
];

function namesIn(queries: readonly Query[]): Set<string> {
  return new Set(queries.flatMap(({ expr }) => selectorsIn(expr).map(({ name }) => name)));
}

test('every alert of the file is read here', () => {
  expect(alerts.length).toBeGreaterThanOrEqual(10);
  expect(alerts).toHaveLength(rules.match(/^\s*- alert:/gm)?.length ?? 0);
});

test.each([
  ['dashboard', panels],
  ['alert rules', alerts],
])('the %s name no metric that is not exported, and no query is without one', (_, queries) => {
  expect(queries).not.toEqual([]);
  for (const { title, expr } of queries) expect(expr, title).toContain('paidonce_');
  expect([...namesIn(queries)].filter((name) => !exported.includes(name))).toEqual([]);
});

test('every metric is on the dashboard', () => {
  const shown = [...namesIn(panels)].map((name) => name.replace(/_(bucket|sum|count)$/, ''));
  expect(shown.toSorted()).toEqual(Object.keys({ ...counters, ...gauges, ...histograms }).toSorted());
});
