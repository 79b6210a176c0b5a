import type { OperationRef } from '#idempotency/index.ts';
import type { EventFollower } from '#payments/index.ts';
import type { Prisma, PrismaClient } from '#prisma';
import { addJob } from '#queue/index.ts';

export const verifyAssertionTask = 'verify_assertion';

const hourMs = 60 * 60 * 1000;
/** A provider's bad hour is over by then. */
const firstInMs = hourMs;
/** Until the provider confirms or denies it: nothing else would ever ask again. */
const thenEveryMs = 24 * hourMs;

/** With the verdict that an operator asserted, in one commit. */
export function enqueueVerification(tx: Prisma.TransactionClient, operation: OperationRef): Promise<void> {
  return enqueue(tx, operation, firstInMs);
}

/**
 * What an operator asserted is booked, although the provider had neither confirmed nor denied it. The provider is asked again
 * later: it confirms it, or an exception is opened for an operator.
 */
export async function verifyAssertion(
  parts: { readonly db: PrismaClient; readonly follower: EventFollower },
  operation: OperationRef,
): Promise<'verified' | 'later'> {
  const followed = await parts.follower.follow({ operation, object: undefined, intentId: undefined });
  if (followed?.kind !== 'undecided' && followed?.kind !== 'no_evidence') return 'verified';
  await enqueue(parts.db, operation, thenEveryMs);
  return 'later';
}

function enqueue(tx: Prisma.TransactionClient, operation: OperationRef, inMs: number): Promise<void> {
  const { tenantId, id } = operation;
  return addJob(tx, {
    task: verifyAssertionTask,
    payload: { tenantId, id },
    key: `${verifyAssertionTask}:${tenantId}:${id}`,
    inMs,
  });
}
