/**
 * Longer than the shop's timeout for the provider, so that the outcome becomes unknown, and a few seconds more in which
 * the visitor can read that.
 */
export function silenceSecondsFor(providerTimeoutMs: number): number {
  return Math.min(60, Math.ceil(providerTimeoutMs / 1000) + 6);
}
