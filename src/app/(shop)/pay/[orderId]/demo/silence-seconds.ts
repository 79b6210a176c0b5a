/**
 * Longer than the shop waits for an answer, so that it runs out of patience and says "unknown"; then a few seconds in
 * which that can be read.
 */
export function silenceSecondsFor(providerTimeoutMs: number): number {
  return Math.min(60, Math.ceil(providerTimeoutMs / 1000) + 6);
}
