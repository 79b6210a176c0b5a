import type { CheckSchedule } from './operation.ts';

/** How many checks there are before the operation is escalated. */
export function scheduledChecks({ pausesMs }: CheckSchedule): number {
  return pausesMs.length + 1;
}

/** The pause after so many checks. Undefined: that was the last. */
export function pauseAfter(
  { pausesMs }: CheckSchedule,
  checks: number,
  random: () => number = Math.random,
): number | undefined {
  const pause = pausesMs[checks - 1];
  // A fifth of jitter either way: operations that became unknown together must not be checked together for ever.
  return pause && pause * (0.8 + 0.4 * random());
}
