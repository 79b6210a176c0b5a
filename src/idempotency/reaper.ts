import type { IdempotencyStore, RetentionStep } from './ports.ts';

/** Small enough that a batch takes milliseconds: a claim of a key in the batch waits for its commit. */
const defaultBatchSize = 500;
/** 50,000 records of each step per call, so that one call ends even when a backlog has built up. */
const defaultMaxBatches = 100;

/**
 * Takes due records through the steps of their retention, in small batches: first the body is purged, then the key
 * expires, then the record is deleted. Records in progress or unknown are never due, and the database would refuse.
 */
export async function reap<Tx>(
  store: IdempotencyStore<Tx>,
  options: { readonly maxBatches?: number; readonly batchSize?: number } = {},
): Promise<Record<RetentionStep, number>> {
  const { maxBatches = defaultMaxBatches, batchSize = defaultBatchSize } = options;
  const reaped = { purge_body: 0, expire: 0, delete: 0 };
  for (const step of ['purge_body', 'expire', 'delete'] as const) {
    for (let batch = 0; batch < maxBatches; batch++) {
      const count = await store.reap(step, batchSize);
      reaped[step] += count;
      if (count < batchSize) break;
    }
  }
  return reaped;
}
