import { idempotencyProblems, type Resource } from '#idempotency/index.ts';

/**
 * As for a record that has expired: the key made this long ago, and its record has been deleted since. The caller gets what
 * it made, and so does a caller that reads the operation, and nothing is executed.
 */
export function expiredKey(resource: Resource) {
  const { type, id } = resource;
  const spec = idempotencyProblems.idempotency_key_expired;
  return {
    kind: 'failed_retryable',
    problem: { spec, extensions: { resourceType: type, resourceId: id } },
    resource,
  } as const;
}
