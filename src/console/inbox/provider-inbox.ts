import { moneyOfOperation } from '#payments/index.ts';
import { Prisma } from '#prisma';
import { distinctValues } from '../operations-list/distinct-values.ts';
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
  tenant_id: string | null;
  operation: string | null;
  reference: string | null;
  received_at: Date;
  processed_at: Date | null;
}

const columns = Prisma.sql`id, event_id, type, status, outcome, operation_id, tenant_id, received_at, processed_at`;
/** The kind of the event's operation, and the order's number. They are read for the rows of the page only. */
const kind = Prisma.sql`(
  SELECT r.operation FROM operation r WHERE r.tenant_id = event.tenant_id AND r.id = event.operation_id) AS operation,
  (SELECT m.reference FROM (${moneyOfOperation(Prisma.sql`event.tenant_id`, Prisma.sql`event.operation_id`)}) AS m)
    AS reference`;

/** A tenant sees its own events, and of events without a tenant that they were received. */
const ownOf = (tenantId: string) => Prisma.sql`tenant_id = ${tenantId}`;
const withoutTenant = Prisma.sql`tenant_id IS NULL`;

/** Newest first. The cursor is an event's id; the page holds events received before it, compared by microseconds. */
export async function listProviderEvents(
  db: Db,
  tenantId: string,
  filter: InboxFilter,
  page: { readonly before?: string | undefined; readonly limit: number },
) {
  const wanted = Prisma.join(
    [
      Prisma.sql`TRUE`,
      ...(filter.status ? [Prisma.sql`status = ${filter.status}`] : []),
      ...(filter.type ? [Prisma.sql`type = ${filter.type}`] : []),
      ...(page.before
        ? [
            Prisma.sql`(received_at, id) < (
              SELECT b.received_at, b.id FROM provider_event b
              WHERE b.id = ${page.before}::uuid AND (b.tenant_id = ${tenantId} OR b.tenant_id IS NULL))`,
          ]
        : []),
    ],
    ' AND ',
  );
  const newest = Prisma.sql`ORDER BY received_at DESC, id DESC LIMIT ${page.limit + 1}`;
  // Each half reads the newest end of its own index range; an OR of the two would read the whole inbox.
  const half = (scope: Prisma.Sql) =>
    Prisma.sql`(SELECT ${columns} FROM provider_event WHERE ${scope} AND ${wanted} ${newest})`;
  const rows = await db.$queryRaw<Row[]>`
    SELECT ${columns}, ${kind} FROM (${half(ownOf(tenantId))} UNION ALL ${half(withoutTenant)}) AS event ${newest}`;
  const events = rows.slice(0, page.limit).map(eventView);
  return { events, next: rows.length > page.limit ? (events.at(-1)?.id ?? null) : null };
}

/** The payload is included only for an event of the tenant, with personal data masked. */
export async function findProviderEvent(db: Db, tenantId: string, id: string) {
  const [row] = await db.$queryRaw<(Row & { payload: unknown })[]>`
    SELECT ${columns}, ${kind}, payload
    FROM provider_event AS event WHERE id = ${id}::uuid AND (${ownOf(tenantId)} OR ${withoutTenant})`;
  return (
    row && {
      ...eventView(row),
      payload: row.tenant_id === null || row.payload === null ? null : maskPayload(row.payload),
    }
  );
}

export async function inboxTypes(db: Db, tenantId: string): Promise<string[]> {
  const types = await Promise.all(
    [ownOf(tenantId), withoutTenant].map((scope) =>
      distinctValues(db, { table: 'provider_event', column: 'type', scope }),
    ),
  );
  return [...new Set(types.flat())].toSorted();
}

function eventView(row: Row) {
  return {
    id: row.id,
    eventId: row.event_id,
    type: row.type,
    status: row.status,
    outcome: row.outcome,
    // An event without a tenant belongs to another user of the same provider account.
    operationId: row.tenant_id && row.operation_id,
    operation: row.tenant_id && row.operation,
    reference: row.tenant_id && row.reference,
    receivedAt: row.received_at.toISOString(),
    processedAt: row.processed_at?.toISOString() ?? null,
  };
}
