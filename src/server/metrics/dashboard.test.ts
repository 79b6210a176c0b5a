import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { counters, gauges, histograms, type Metric } from './catalogue.ts';

/** That /api/metrics exports every name of the catalogue is for metrics.db.test.ts to say. */
const exported = [
  ...Object.keys({ ...counters, ...gauges }),
  ...Object.keys(histograms).flatMap((name) => [`${name}_bucket`, `${name}_sum`, `${name}_count`]),
];

function read(file: string): string {
  return readFileSync(path.join(import.meta.dirname, file), 'utf8');
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}
const dashboard = JSON.parse(read('grafana-dashboard.json')) as { panels: Panel[] };
const panels = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, expr] as const),
);
const rules = read('alert-rules.yml');
const alerts = [...rules.matchAll(/- alert: (\w+)\n\s+expr: (.+)\n/g)].map(
  ([, alert = '', expr = '']) => [alert, expr] as const,
);

function namesIn(expressions: readonly (readonly [string, string])[]): Set<string> {
  return new Set(expressions.flatMap(([, expr]) => expr.match(/paidonce_\w+/g) ?? []));
}

test('every alert of the file is read here', () => {
  expect(alerts.length).toBeGreaterThanOrEqual(10);
  expect(alerts).toHaveLength(rules.match(/^\s*- alert:/gm)?.length ?? 0);
});

test.each([
  ['dashboard', panels],
  ['alert rules', alerts],
])('the %s name no metric that is not exported, and no query is without one', (_, expressions) => {
  expect(expressions).not.toEqual([]);
  for (const [title, expr] of expressions) expect(expr, title).toContain('paidonce_');
  expect([...namesIn(expressions)].filter((name) => !exported.includes(name))).toEqual([]);
});

test('every metric is on the dashboard', () => {
  const shown = [...namesIn(panels)].map((name) => name.replace(/_(bucket|sum|count)$/, ''));
  expect(shown.toSorted()).toEqual(Object.keys({ ...counters, ...gauges, ...histograms }).toSorted());
});

/** What the expressions select by must be a label that the metric has; a misspelt one would never fire. */
test('every label the queries select by exists', () => {
  for (const [title, expr] of [...panels, ...alerts]) {
    for (const [, name = '', label = '', value = ''] of expr.matchAll(/(paidonce_\w+)\{(\w+)="(\w+)"\}/g)) {
      const { labels } = counters[name as keyof typeof counters] as Metric & { labels: object };
      expect(labels[label], title).toContain(value);
    }
  }
});
