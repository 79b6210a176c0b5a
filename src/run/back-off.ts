const firstMs = 500;
const maxMs = 15_000;

// A process that ran for this long did not fail because of its start, so the back-off begins again.
export const healthyAfterMs = 60_000;

export function nextDelayMs(previousMs: number | undefined, ranForMs: number): number {
  if (previousMs === undefined || ranForMs >= healthyAfterMs) return firstMs;
  return Math.min(previousMs * 2, maxMs);
}
