import { counters, gauges, histograms, type Metric } from './catalogue.ts';
import type { Gauges } from './gauges.ts';
import { combinations, type Labels, writeLabels } from './labels.ts';

export interface CounterRow {
  readonly name: string;
  readonly labels: string;
  readonly value: number;
}

/** Prometheus' text format, version 0.0.4. Every metric of the catalogue appears, also when it has no samples. */
export function writeExposition(rows: readonly CounterRow[], values: Gauges): string {
  const blocks = [
    ...Object.entries(counters).map(([name, metric]) => writeCounter(name, metric, rows)),
    ...Object.entries(histograms).map(([name, metric]) => writeHistogram(name, metric, rows)),
    ...Object.entries(gauges).map(([name, metric]) =>
      block(
        name,
        'gauge',
        metric,
        values[name as keyof Gauges].map(({ labels, value }) => line(name, writeLabels(labels), value)),
      ),
    ),
  ];
  return `${blocks.join('\n')}\n`;
}

function writeCounter(name: string, metric: Metric, rows: readonly CounterRow[]): string {
  const samples = zeros(metric.labels);
  for (const row of rows) if (row.name === name) samples.set(row.labels, row.value);
  return block(
    name,
    'counter',
    metric,
    [...samples].map(([labels, value]) => line(name, labels, value)),
  );
}

function writeHistogram(
  name: string,
  metric: Metric & { readonly buckets: readonly number[] },
  rows: readonly CounterRow[],
): string {
  const values = new Map(rows.map((row) => [`${row.name}{${row.labels}}`, row.value]));
  const counted = rows.filter((row) => row.name === `${name}_count`).map((row) => readLabels(row.labels));
  const sets = new Map(
    [...combinations(metric.labels), ...counted].map((labels) => [writeLabels(labels), labels]),
  );
  const lines = [...sets].flatMap(([written, labels]) => {
    const count = values.get(`${name}_count{${written}}`) ?? 0;
    const buckets = metric.buckets.map((bucket) => {
      const withBound = writeLabels({ ...labels, le: String(bucket) });
      return line(`${name}_bucket`, withBound, values.get(`${name}_bucket{${withBound}}`) ?? 0);
    });
    return [
      ...buckets,
      line(`${name}_bucket`, writeLabels({ ...labels, le: '+Inf' }), count),
      line(`${name}_sum`, written, values.get(`${name}_sum{${written}}`) ?? 0),
      line(`${name}_count`, written, count),
    ];
  });
  return block(name, 'histogram', metric, lines);
}

function zeros(labels: Metric['labels']): Map<string, number> {
  return new Map(combinations(labels).map((set) => [writeLabels(set), 0]));
}

/** The label values of histograms are kinds of ours, so nothing in them was ever escaped. */
function readLabels(written: string): Labels {
  return Object.fromEntries(
    [...written.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
}

function block(name: string, type: string, { help }: Metric, lines: readonly string[]): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n');
}

function line(name: string, labels: string, value: number): string {
  return `${name}${labels && `{${labels}}`} ${value}`;
}
