import type { IdempotencyStore, Reaping } from './ports.ts';

/** Small enough that a batch takes milliseconds and its locks are never felt. */
const batchSize = 500;

/**
 * Ages what is due, in small batches: bodies go first, then the key expires, then its metadata goes. Records in
 * progress or unknown are not among them, whatever their age; the database would refuse.
 */
export async function reap<Tx>(
  store: IdempotencyStore<Tx>,
  options: { readonly maxBatches?: number; readonly batchSize?: number } = {},
): Promise<Record<Reaping, number>> {
  const size = options.batchSize ?? batchSize;
  const reaped = { purge_body: 0, expire: 0, delete: 0 };
  for (const reaping of ['purge_body', 'expire', 'delete'] as const) {
    for (let batch = 0; batch < (options.maxBatches ?? 100); batch++) {
      const count = await store.reap(reaping, size);
      reaped[reaping] += count;
      if (count < size) break;
    }
  }
  return reaped;
}
