import type { OperationDefinition } from '#idempotency/index.ts';

/**
 * When an unknown outcome is looked into, counted from one look to the next. This is the schedule of whoever declares none:
 * for something that a person is waiting for. The first looks come quickly, because nearly every lost answer is a hiccup of
 * seconds and somebody is looking at a spinner. Then minutes, for an outage; hours, for a provider's bad day; days, for
 * settlement files and people. After four days no machine knows better than a person: the operation goes to the operators'
 * queue.
 */
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const defaultPausesMs: readonly number[] = [
  3 * second,
  5 * second,
  10 * second,
  20 * second,
  40 * second,
  1 * minute,
  2 * minute,
  5 * minute,
  15 * minute,
  1 * hour,
  6 * hour,
  24 * hour,
  24 * hour,
  24 * hour,
];

type Scheduled = Pick<OperationDefinition<never>, 'reconcilePausesMs'> | undefined;

const pausesOf = (operation: Scheduled) => operation?.reconcilePausesMs ?? defaultPausesMs;

/** How many looks there are before a person is asked. */
export function scheduledChecks(operation: Scheduled): number {
  return pausesOf(operation).length + 1;
}

/** `checks` looks have been made. Undefined: that was the last. */
export function pauseAfter(
  operation: Scheduled,
  checks: number,
  random: () => number = Math.random,
): number | undefined {
  const pause = pausesOf(operation)[checks - 1];
  // A fifth of jitter either way: operations that became unknown together must not be asked about together for ever.
  return pause && pause * (0.8 + 0.4 * random());
}
