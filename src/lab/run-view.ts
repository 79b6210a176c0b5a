import type { CutPoint } from '#faults/index.ts';
import { formatMoney } from '#payments/money.ts';
import type { KeyName, LaneName, LanePromise } from './scenario.ts';
import type { TraceEvent } from './trace.ts';

/** A run as the page, the command line and the tests see it. */
export interface RunView {
  readonly id: string;
  readonly scenario: string;
  readonly seed: number;
  readonly cut: CutPoint | null;
  readonly status: 'running' | 'finished' | 'failed';
  readonly error: string | null;
  readonly elapsedMs: number;
  readonly lanes: Readonly<Record<LaneName, LaneView>>;
  readonly verdict: RunVerdict | null;
}

export interface LaneView {
  /** Succeeded ones in the provider's own ledger. */
  readonly charges: readonly { readonly id: string; readonly amountMinor: number }[];
  readonly totalMinor: number;
  readonly expected: LanePromise['charges'];
  readonly keys: readonly { readonly name: KeyName; readonly key: string; readonly status: string | null }[];
  readonly replays: number;
  readonly trace: readonly TraceEvent[];
}

export interface RunVerdict {
  /** The protected lane charged what it promised, its record ended as it promised, and nothing is stuck. */
  readonly kept: boolean;
  /** The naive lane did what the scenario says of it, so that the comparison is honest. */
  readonly naiveAsExpected: boolean;
  readonly sentence: string;
}

/** One sentence, from the provider's ledger alone. */
export function verdictSentence(lanes: RunView['lanes'], kept: boolean): string {
  const [ours, naive] = [lanes.protected, lanes.naive];
  const counts = `${count(ours)} with Paidonce, ${count(naive)} without`;
  if (!kept) return `${counts}: Paidonce broke its promise. This should be impossible, please report it.`;
  const surplus = naive.totalMinor - ours.totalMinor;
  if (surplus > 0) return `${counts}: ${euros(surplus)} too much.`;
  return `${counts}: here a plain checkout comes to the same sum.`;
}

function count({ charges }: LaneView): string {
  return charges.length === 1 ? '1 charge' : `${charges.length} charges`;
}

function euros(amountMinor: number): string {
  return formatMoney({ amountMinor, currency: 'eur' });
}
