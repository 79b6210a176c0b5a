// Stripe retries for up to three days with exponential back-off. The end is Stripe's; the start is ours: Stripe waits
// minutes before the first retry, and a developer who stops and restarts an app here wants to see it within a second.
// Tripling from one second takes eleven attempts to reach hours, and twelve hours is a last call each morning and night.
const FIRST_DELAY_MS = 1_000;
const GROWTH = 3;
const LONGEST_DELAY_MS = 12 * 60 * 60 * 1000;
const GIVE_UP_AFTER_MS = 3 * 24 * 60 * 60 * 1000;

/** When to try again after `attempts` failures, or null when three days have been enough. */
export function nextAttempt(attempts: number, createdMs: number, nowMs: number): number | null {
  const delay = Math.min(FIRST_DELAY_MS * GROWTH ** (attempts - 1), LONGEST_DELAY_MS);
  const due = nowMs + delay;
  return due > createdMs + GIVE_UP_AFTER_MS ? null : due;
}
