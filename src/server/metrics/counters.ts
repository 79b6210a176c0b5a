import type { Prisma } from '#prisma';
import {
  type CounterName,
  type counters,
  type HistogramName,
  histograms,
  type LabelsOf,
} from './catalogue.ts';
import { type Labels, writeLabels } from './labels.ts';

/**
 * Counts of this process on their way to the table that all processes share. A process that is killed takes at most a
 * second of counting with it; that is the price of not writing a row per event, and gauges, which alerts about money
 * hang on, are not counted but asked of the tables themselves.
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

const flushMs = 1_000;

export function createCounters(
  db: Pick<Prisma.TransactionClient, '$executeRaw'>,
  onError: (error: unknown) => void,
): Counters {
  let pending = new Map<string, { name: string; labels: string; value: number }>();
  let timer: NodeJS.Timeout | undefined;

  function put(name: string, labels: string, by: number): void {
    const key = `${name}{${labels}}`;
    const value = by + (pending.get(key)?.value ?? 0);
    pending.set(key, { name, labels, value });
    timer ??= setTimeout(flush, flushMs).unref();
  }

  const count = (name: string, labels: Labels, by: number) => put(name, writeLabels(labels), by);

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (pending.size === 0) return;
    // Always in the same order: two processes flushing at once wait for each other instead of deadlocking.
    const batch = [...pending].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
    pending = new Map();
    try {
      await db.$executeRaw`
        INSERT INTO metric_counter AS counter (name, labels, value)
        SELECT * FROM unnest(${batch.map((row) => row.name)}::text[], ${batch.map((row) => row.labels)}::text[],
          ${batch.map((row) => row.value)}::float8[])
        ON CONFLICT (name, labels) DO UPDATE SET value = counter.value + excluded.value`;
    } catch (error) {
      // Kept for the next time. Should the database have committed and only its word been lost, it is counted twice.
      for (const { name, labels, value } of batch) put(name, labels, value);
      onError(error);
    }
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
    flush,
  };
}
