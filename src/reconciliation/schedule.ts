import type { OperationDefinition } from '#idempotency/index.ts';

/**
 * The pauses between the checks of an unknown outcome, for operations that declare none: something that a shopper is waiting
 * for. The first checks come quickly, because nearly every lost response is a problem of seconds and the shopper looks at a
 * spinner. Then minutes, for an outage; hours, for a provider's bad day; days, for settlement files and support. After four
 * days another check would find nothing new: the operation goes to the operators' queue.
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

/** How many checks there are before the operation is escalated. */
export function scheduledChecks(operation: Scheduled): number {
  return pausesOf(operation).length + 1;
}

/** The pause after so many checks. Undefined: that was the last. */
export function pauseAfter(
  operation: Scheduled,
  checks: number,
  random: () => number = Math.random,
): number | undefined {
  const pause = pausesOf(operation)[checks - 1];
  // A fifth of jitter either way: operations that became unknown together must not be checked together for ever.
  return pause && pause * (0.8 + 0.4 * random());
}
