import type { Prisma } from '#prisma';
import {
  type CounterName,
  type counters,
  type HistogramName,
  histograms,
  type LabelsOf,
} from './catalogue.ts';
import { type Labels, writeLabels } from './labels.ts';
import { createTally } from './tally.ts';

/**
 * Sums the counts of this process and adds them to the table that all processes share. A process that is killed loses at
 * most a second of counts, because a row is not written per event. Alerts about money depend on gauges only, which are
 * read from the tables themselves.
 */
export interface Counters {
  add<Name extends CounterName>(name: Name, labels: LabelsOf<(typeof counters)[Name]>, by?: number): void;
  observe<Name extends HistogramName>(
    name: Name,
    labels: LabelsOf<(typeof histograms)[Name]>,
    value: number,
  ): void;
  flush(): Promise<void>;
}

export function createCounters(
  db: Pick<Prisma.TransactionClient, '$executeRaw'>,
  onError: (error: unknown) => void,
): Counters {
  const tally = createTally<{ name: string; labels: string }>(
    (rows) => db.$executeRaw`
      INSERT INTO metric_counter AS counter (name, labels, value)
      SELECT * FROM unnest(${rows.map(({ what }) => what.name)}::text[],
        ${rows.map(({ what }) => what.labels)}::text[], ${rows.map(({ sum }) => sum)}::float8[])
      ON CONFLICT (name, labels) DO UPDATE SET value = counter.value + excluded.value`,
    onError,
  );

  function count(name: string, labelled: Labels, by: number): void {
    const labels = writeLabels(labelled);
    tally.add(`${name}{${labels}}`, { name, labels }, by);
  }

  return {
    add(name, labels, by = 1) {
      if (by > 0) count(name, labels, by);
    },
    observe(name, labels, value) {
      for (const bucket of histograms[name].buckets) {
        if (value <= bucket) count(`${name}_bucket`, { ...labels, le: String(bucket) }, 1);
      }
      count(`${name}_count`, labels, 1);
      count(`${name}_sum`, labels, value);
    },
    flush: tally.flush,
  };
}
