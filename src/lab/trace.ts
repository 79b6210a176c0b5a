import type { KeyName } from './scenario.ts';

export const actors = ['client', 'app', 'database', 'provider', 'worker'] as const;
export type Actor = (typeof actors)[number];

/** One arrow of the sequence diagram, or one mark on a lifeline where `from` and `to` are the same. */
export interface TraceEvent {
  /** Since the run began. */
  readonly atMs: number;
  readonly from: Actor;
  readonly to: Actor;
  readonly kind: 'request' | 'response' | 'lost' | 'fault' | 'state' | 'charge' | 'webhook' | 'note';
  readonly text: string;
  /** The record after this event. */
  readonly record?: {
    readonly key: KeyName;
    readonly status: string;
    readonly recoveryPoint: string;
    readonly attempt: number;
  };
  /** How many equal ones are drawn as one. */
  readonly times: number;
}

/** With more rows than this, equal events are drawn as one. */
const manyEvents = 60;
const mergeWithinMs = 3_000;

/**
 * In the order of time; within a millisecond the provider's responses come last. In a storm, equal events of a few seconds
 * are merged.
 */
export function arrange(events: readonly TraceEvent[]): TraceEvent[] {
  const sorted = events.toSorted(
    (one, other) =>
      one.atMs - other.atMs || Number(isProviderResponse(one)) - Number(isProviderResponse(other)),
  );
  if (sorted.length <= manyEvents) return sorted;
  const merged: TraceEvent[] = [];
  const latest = new Map<string, number>();
  for (const event of sorted) {
    const name = [event.from, event.to, event.kind, event.text].join('|');
    const index = latest.get(name) ?? -1;
    const same = merged[index];
    if (same && event.atMs - same.atMs < mergeWithinMs && !event.record) {
      merged[index] = { ...same, times: same.times + 1 };
    } else {
      latest.set(name, merged.push(event) - 1);
    }
  }
  return merged;
}

function isProviderResponse({ from, kind }: TraceEvent): boolean {
  return from === 'provider' && kind !== 'webhook';
}
