// Stripe retries for up to three days with exponential back-off, and so does the sandbox. It starts earlier: Stripe waits
// minutes before the first retry, but a developer who restarts an app wants to see the webhook within a second. Tripling
// from one second reaches the maximum of twelve hours after the eleventh attempt.
const FIRST_DELAY_MS = 1_000;
const GROWTH = 3;
const MAX_DELAY_MS = 12 * 60 * 60 * 1000;
const GIVE_UP_AFTER_MS = 3 * 24 * 60 * 60 * 1000;

/** When to send again after `attempts` failures, or null when three days are over. */
export function nextAttemptMs(attempts: number, createdMs: number, nowMs: number): number | null {
  const delay = Math.min(FIRST_DELAY_MS * GROWTH ** (attempts - 1), MAX_DELAY_MS);
  const due = nowMs + delay;
  return due > createdMs + GIVE_UP_AFTER_MS ? null : due;
}
