const firstMs = 500;
const longestMs = 15_000;

// A process that stayed up this long did not die of what it was started with; its next death starts from the beginning.
export const healthyAfterMs = 60_000;

export function nextDelayMs(previousMs: number | undefined, ranForMs: number): number {
  if (previousMs === undefined || ranForMs >= healthyAfterMs) return firstMs;
  return Math.min(previousMs * 2, longestMs);
}
