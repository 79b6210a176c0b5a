/**
 * Longer than the shop's timeout for the provider, so that the outcome becomes unknown; then a few seconds in which that
 * can be read.
 */
export function silenceSecondsFor(providerTimeoutMs: number): number {
  return Math.min(60, Math.ceil(providerTimeoutMs / 1000) + 6);
}
