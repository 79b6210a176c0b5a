const firstMs = 500;
const longestMs = 15_000;

// A process that stayed up this long did not fail because of how it was started, so the wait starts from the first again.
export const healthyAfterMs = 60_000;

export function nextDelayMs(previousMs: number | undefined, ranForMs: number): number {
  if (previousMs === undefined || ranForMs >= healthyAfterMs) return firstMs;
  return Math.min(previousMs * 2, longestMs);
}
