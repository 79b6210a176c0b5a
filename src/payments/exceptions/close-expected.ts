import type { PrismaClient } from '#prisma';

/**
 * Closes exceptions about money that our books expect by now: the key of the lost or released operation was tried again, found
 * the intent or the refund as it was, and booked it. An operator who gave it back then would give back what was bought. Returns
 * how many there were. A refund that was booked before the exception was found does not explain it: there is another one.
 */
export async function closeExpected(db: Pick<PrismaClient, '$executeRaw'>): Promise<number> {
  return db.$executeRaw`
    UPDATE reconciliation_exception e SET status = 'booked', decided_at = clock_timestamp(), decided_by = 'retry',
      decision_reason = 'Its own key was tried again, and booked it.'
    WHERE e.status = 'open' AND e.decided_by IS NULL
      AND e.reason IN ('record_lost', 'charged_after_release', 'refunded_after_release')
      AND (EXISTS (
          SELECT FROM payment p WHERE p.tenant_id = e.tenant_id AND p.id = e.payment_id AND p.status = 'succeeded'
            AND p.provider_intent_id = e.intent_id)
        OR EXISTS (
          SELECT FROM refund r WHERE r.tenant_id = e.tenant_id AND r.id = e.refund_id AND r.status = 'succeeded'
            AND r.completed_at > e.found_at))`;
}
