import type { BookedObject, NoEvidence } from '#payments/event-follower.ts';
import type { KindParts } from '../operation-kind.ts';

/** The newest payment that was booked on the provider's response, as the provider has it. Each tenant's is read from an index. */
export async function listNewestPayment({ db, provider }: KindParts): Promise<BookedObject[] | NoEvidence> {
  const [newest] = await db.$queryRaw<{ id: string }[]>`
    SELECT newest.id FROM organization t CROSS JOIN LATERAL (
      SELECT p.provider_intent_id AS id, p.created_at FROM payment p
      WHERE p.tenant_id = t.id AND p.status = 'succeeded' AND p.asserted_at IS NULL AND p.provider_intent_id IS NOT NULL
      ORDER BY p.created_at DESC LIMIT 1) AS newest
    ORDER BY newest.created_at DESC LIMIT 1`;
  if (!newest) return [];
  const result = await provider.retrieveIntent(newest.id);
  if (result.kind !== 'responded' && result.code !== 'resource_missing')
    return { kind: 'no_evidence', code: result.code };
  const createdAt = result.kind === 'responded' ? result.intent.createdAt : undefined;
  return [{ object: 'payment_intent', id: newest.id, createdAt }];
}
