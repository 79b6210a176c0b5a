import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '#run/measure/figures.ts';

export interface LoadFigures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU seconds of this process per second. */
  readonly cores: number;
  readonly errors: number;
}

/** Callers that each send the next request when they have the response of the last: warm-up, then a measured window. */
export async function measureLoad(options: {
  readonly callers: number;
  readonly seconds: number;
  readonly call: () => Promise<unknown>;
}): Promise<LoadFigures> {
  const latencies: number[] = [];
  let measuring = false;
  let stopped = false;
  let errors = 0;
  let firstError: unknown;
  const caller = async () => {
    while (!stopped) {
      const startedAt = performance.now();
      try {
        await options.call();
        if (measuring) latencies.push(performance.now() - startedAt);
      } catch (error) {
        errors += 1;
        firstError ??= error;
      }
    }
  };
  const callers = Array.from({ length: options.callers }, caller);
  await delay(1_000);
  measuring = true;
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
  await delay(options.seconds * 1_000);
  measuring = false;
  stopped = true;
  const elapsed = (performance.now() - startedAt) / 1_000;
  const used = process.cpuUsage(cpu);
  await Promise.all(callers);
  if (latencies.length === 0 && firstError) throw firstError;
  return {
    perSecond: latencies.length / elapsed,
    p50Ms: percentile(latencies, 50),
    p99Ms: percentile(latencies, 99),
    cores: (used.user + used.system) / 1_000_000 / elapsed,
    errors,
  };
}
