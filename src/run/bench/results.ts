import type { MemoryResult, StormResult } from './contestant-process.ts';
import type { GrowthFigures } from './growth.ts';
import type { HttpFigures } from './http.ts';
import type { SandboxBenchResult } from './sandbox.ts';

/** Payments per second, and replays where there are keys. Each is the median of the rounds. */
export interface Rates {
  readonly id: string;
  readonly label: string;
  readonly at1: number;
  readonly at32: number;
  readonly replay: number | undefined;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  /** How far the rounds were apart, in percent of the median. */
  readonly spreadPercent: number;
}

/** What was not asked for is missing. */
export interface Results {
  readonly machine: {
    readonly cores: number;
    readonly node: string;
    readonly loadAverage: number;
    readonly rounds: number;
    readonly seconds: number;
  };
  readonly rates: readonly Rates[];
  readonly storm?: StormResult;
  readonly memory?: MemoryResult;
  readonly growth?: readonly GrowthFigures[];
  readonly sandbox?: SandboxBenchResult;
  readonly http?: Readonly<Record<'next' | 'api', HttpFigures>>;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

export function spreadPercent(values: readonly number[]): number {
  return (100 * (Math.max(...values) - Math.min(...values))) / median(values);
}
