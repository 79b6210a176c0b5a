import type { Prisma } from '#prisma';

/**
 * The webhook inbox as a tenant may see it: its own events, and those that are about nothing of anybody's here. What
 * is in an event stays where it is.
 */
export async function listProviderEvents(db: Prisma.TransactionClient, tenantId: string, id?: string) {
  const rows = await db.$queryRaw<
    {
      id: string;
      event_id: string;
      type: string;
      status: string;
      outcome: string | null;
      operation_id: string | null;
      received_at: Date;
    }[]
  >`
    SELECT e.id, e.event_id, e.type, e.status, e.outcome, e.operation_id, e.received_at
    FROM provider_event e LEFT JOIN idempotency_record r ON r.id = e.operation_id
    WHERE (r.tenant_id = ${tenantId} OR e.operation_id IS NULL) AND (${id ?? null}::uuid IS NULL OR e.id = ${id ?? null}::uuid)
    ORDER BY e.received_at DESC LIMIT 100`;
  return rows.map((row) => ({
    id: row.id,
    eventId: row.event_id,
    type: row.type,
    status: row.status,
    outcome: row.outcome,
    operationId: row.operation_id,
    receivedAt: row.received_at.toISOString(),
  }));
}
