import { Prisma } from '#prisma';
import { maskPayload } from './mask-payload.ts';

type Db = Prisma.TransactionClient;

export const inboxStatuses = ['received', 'processed', 'ignored'] as const;
export type InboxStatus = (typeof inboxStatuses)[number];

export interface InboxFilter {
  readonly status?: InboxStatus | undefined;
  readonly type?: string | undefined;
}

interface Row {
  id: string;
  event_id: string;
  type: string;
  status: InboxStatus;
  outcome: string | null;
  operation_id: string | null;
  received_at: Date;
  processed_at: Date | null;
}

const columns = Prisma.sql`
  e.id, e.event_id, e.type, e.status, e.outcome, e.operation_id, e.received_at, e.processed_at`;

/** A tenant sees its own events, and that there are events which are about nothing of anybody's here. */
const visible = (tenantId: string) => Prisma.sql`(r.tenant_id = ${tenantId} OR e.operation_id IS NULL)`;

/** Newest first. The cursor is an event: those received before it, by the database's full precision. */
export async function listProviderEvents(
  db: Db,
  tenantId: string,
  filter: InboxFilter,
  page: { readonly before?: string | undefined; readonly limit: number },
) {
  const rows = await db.$queryRaw<Row[]>`
    SELECT ${columns} FROM provider_event e LEFT JOIN idempotency_record r ON r.id = e.operation_id
    WHERE ${visible(tenantId)}
      AND (${filter.status ?? null}::text IS NULL OR e.status = ${filter.status ?? null})
      AND (${filter.type ?? null}::text IS NULL OR e.type = ${filter.type ?? null})
      AND (${page.before ?? null}::uuid IS NULL OR (e.received_at, e.id) < (
        SELECT b.received_at, b.id FROM provider_event b WHERE b.id = ${page.before ?? null}::uuid))
    ORDER BY e.received_at DESC, e.id DESC LIMIT ${page.limit + 1}`;
  const events = rows.slice(0, page.limit).map(eventView);
  return { events, next: rows.length > page.limit ? (events.at(-1)?.id ?? null) : null };
}

/** With what it says only where it is about something of the tenant's own, and with people's data covered. */
export async function findProviderEvent(db: Db, tenantId: string, id: string) {
  const [row] = await db.$queryRaw<(Row & { payload: unknown; own: boolean })[]>`
    SELECT ${columns}, r.id IS NOT NULL AS own, CASE WHEN r.id IS NOT NULL THEN e.payload END AS payload
    FROM provider_event e LEFT JOIN idempotency_record r ON r.id = e.operation_id
    WHERE e.id = ${id}::uuid AND ${visible(tenantId)}`;
  return row && { ...eventView(row), payload: row.own ? maskPayload(row.payload) : null };
}

export async function inboxTypes(db: Db, tenantId: string): Promise<string[]> {
  const rows = await db.$queryRaw<{ type: string }[]>`
    SELECT DISTINCT e.type FROM provider_event e LEFT JOIN idempotency_record r ON r.id = e.operation_id
    WHERE ${visible(tenantId)} ORDER BY e.type`;
  return rows.map(({ type }) => type);
}

function eventView(row: Row) {
  return {
    id: row.id,
    eventId: row.event_id,
    type: row.type,
    status: row.status,
    outcome: row.outcome,
    operationId: row.operation_id,
    receivedAt: row.received_at.toISOString(),
    processedAt: row.processed_at?.toISOString() ?? null,
  };
}
