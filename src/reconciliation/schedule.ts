/**
 * When an unknown outcome is looked into, counted from one look to the next. The first looks come quickly, because
 * nearly every lost answer is a hiccup of seconds and somebody is looking at a spinner. Then minutes, for an outage;
 * hours, for a provider's bad day; days, for settlement files and people. After four days no machine knows better
 * than a person: the operation goes to the operators' queue.
 */
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const pauses = [
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
] as const;

/** How many looks there are before a person is asked. */
export const scheduledChecks = pauses.length + 1;

/** `checks` looks have been made. Undefined: that was the last. */
export function pauseAfter(checks: number, random: () => number = Math.random): number | undefined {
  const pause = pauses[checks - 1];
  // A fifth of jitter either way: operations that became unknown together must not be asked about together for ever.
  return pause && pause * (0.8 + 0.4 * random());
}
