import type { BookedObject, NoEvidence } from '#payments/event-follower.ts';
import type { KindParts } from '../operation-kind.ts';

/** The newest refund that was booked on the provider's response, as the provider has it. */
export async function listNewestRefund({ db, provider }: KindParts): Promise<BookedObject[] | NoEvidence> {
  const [newest] = await db.$queryRaw<
    { id: string; tenantId: string; operationId: string; intentId: string }[]
  >`
    SELECT r.provider_refund_id AS id, r.tenant_id AS "tenantId", r.operation_id AS "operationId",
      p.provider_intent_id AS "intentId"
    FROM refund r JOIN payment p ON p.tenant_id = r.tenant_id AND p.id = r.payment_id
    WHERE r.status = 'succeeded' AND r.asserted_at IS NULL AND r.provider_refund_id IS NOT NULL
      AND p.provider_intent_id IS NOT NULL
    ORDER BY r.created_at DESC LIMIT 1`;
  if (!newest) return [];
  const { id, tenantId, operationId, intentId } = newest;
  const found = await provider.findRefund({ tenantId, operationId, intentId, refundId: id });
  if (found && found.kind !== 'responded' && found.code !== 'resource_missing')
    return { kind: 'no_evidence', code: found.code };
  const createdAt = found?.kind === 'responded' ? found.refund.createdAt : undefined;
  return [{ object: 'refund', id, createdAt }];
}
