import type { PrismaClient } from '#prisma';
import type { Env } from '../env.ts';
import { createActivity } from './activity.ts';
import { createChargeComparison } from './charges.ts';
import { createCounters } from './counters.ts';
import { type CounterRow, writeExposition } from './exposition.ts';
import { readGauges } from './gauges.ts';
import type { Logger } from './log.ts';
import { createObservers, type Observers } from './observers.ts';

/**
 * The metrics of the whole installation, exported by any one process: counters are summed in the database, gauges are
 * read from it. Scrape one app process, or the address that balances between them; scraping each would count everything twice.
 */
export interface Metrics extends Observers {
  scrape(): Promise<string>;
  /** Writes the counts of this process; for a process that is about to end. */
  flush(): Promise<void>;
}

export function createMetrics(
  db: PrismaClient,
  settings: Pick<Env, 'provider' | 'SANDBOX_URL'>,
  log: Logger,
): Metrics {
  const counters = createCounters(db, (error) => log.warn({ err: error }, 'counters kept for later'));
  const activity = createActivity(db, (error) => log.warn({ err: error }, 'activity kept for later'));
  const count = createObservers(counters);
  const flush = async () => {
    await Promise.all([counters.flush(), activity.flush()]);
  };
  const compareCharges = createChargeComparison(db, settings);
  return {
    ...count,
    engine(event) {
      count.engine(event);
      activity.engine(event);
    },
    reconciler(event) {
      count.reconciler(event);
      activity.reconciler(event);
    },
    dueWork(event) {
      count.dueWork(event);
      activity.dueWork(event);
    },
    flush,
    async scrape() {
      await counters.flush();
      const [rows, gauges] = await Promise.all([
        db.$queryRaw<CounterRow[]>`SELECT name, labels, value FROM metric_counter ORDER BY name, labels`,
        readGauges(db, settings.provider, compareCharges),
      ]);
      return writeExposition(rows, gauges);
    },
  };
}
