import type { OperationDefinition } from '#idempotency/index.ts';

const hourMs = 60 * 60 * 1000;

/** What all operations have in common. A tenant sets its retention for all of them together, so they share the default. */
export const operationDefaults = {
  apiVersion: '2026-11-01',
  retention: {
    // A day covers a client that retries overnight.
    replayMs: 24 * hourMs,
    // The body is of use for replaying only.
    bodyMs: 24 * hourMs,
    // A card statement comes monthly and questions later; the payment itself is kept for good.
    metadataMs: 90 * 24 * hourMs,
  },
  responseSchemaVersion: 1,
  retryAfterSeconds: 1,
} as const satisfies Partial<OperationDefinition<never>>;
