import { idempotencyProblems, type Problem, type Resource } from '#idempotency/index.ts';

/**
 * As for a record that has expired: the key made this long ago, and its record has been deleted since. The caller gets what
 * it made, and nothing is executed.
 */
export function expiredKey({ type, id }: Resource): Problem {
  return {
    spec: idempotencyProblems.idempotency_key_expired,
    extensions: { resourceType: type, resourceId: id },
  };
}
