import type { Prisma } from '#prisma';
import type { PaymentEventType } from './emit-event.ts';
import { deliverWebhookTask } from './jobs.ts';
import { type DeliveryStatus, nextAttempts } from './listing.ts';

/** What a tenant's members see of its endpoints. No query reads a secret. */
type Db = Prisma.TransactionClient;

/** Enough to see whether an endpoint works; the outbox has all. */
const shownDeliveries = 5;

interface DeliveryRow {
  readonly id: string;
  readonly endpointId: string;
  readonly type: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly lastStatus: number | null;
  readonly lastDurationMs: number | null;
  readonly lastAttemptAt: Date | null;
  readonly lastError: string | null;
  readonly createdAt: Date;
}

/** The oldest first, each with how its last deliveries went. */
export async function listEndpoints(db: Db, tenantId: string) {
  const endpoints = await db.$queryRaw<
    {
      id: string;
      url: string;
      description: string;
      eventTypes: PaymentEventType[];
      createdAt: Date;
      disabledAt: Date | null;
      failingSince: Date | null;
      oldSecretUntil: Date | null;
      waiting: number;
    }[]
  >`
    SELECT id, url, description, event_types AS "eventTypes", created_at AS "createdAt", disabled_at AS "disabledAt",
      failing_since AS "failingSince",
      CASE WHEN old_secret_until > clock_timestamp() THEN old_secret_until END AS "oldSecretUntil",
      (SELECT count(*)::int FROM merchant_webhook_delivery d
       WHERE d.tenant_id = e.tenant_id AND d.endpoint_id = e.id AND d.status = 'queued') AS waiting
    FROM merchant_webhook_endpoint e WHERE tenant_id = ${tenantId} AND removed_at IS NULL
    ORDER BY created_at, id`;
  const deliveries = await db.$queryRaw<DeliveryRow[]>`
    SELECT d.* FROM unnest(${endpoints.map(({ id }) => id)}::uuid[]) AS wanted (id)
    CROSS JOIN LATERAL (
      SELECT id, endpoint_id AS "endpointId", type, status, attempts, last_status AS "lastStatus",
        last_duration_ms AS "lastDurationMs", last_attempt_at AS "lastAttemptAt", last_error AS "lastError",
        created_at AS "createdAt"
      FROM merchant_webhook_delivery WHERE tenant_id = ${tenantId} AND endpoint_id = wanted.id
      ORDER BY created_at DESC, id DESC LIMIT ${shownDeliveries}) AS d`;
  const views = await viewsOf(db, deliveries);
  return endpoints.map((endpoint) => ({
    ...endpoint,
    createdAt: endpoint.createdAt.toISOString(),
    disabledAt: endpoint.disabledAt?.toISOString() ?? null,
    failingSince: endpoint.failingSince?.toISOString() ?? null,
    oldSecretUntil: endpoint.oldSecretUntil?.toISOString() ?? null,
    deliveries: views.filter(({ endpointId }) => endpointId === endpoint.id),
  }));
}

/** One delivery, such as a test whose result a page waits for. */
export async function findDelivery(db: Db, tenantId: string, id: string) {
  const rows = await db.$queryRaw<DeliveryRow[]>`
    SELECT id, endpoint_id AS "endpointId", type, status, attempts, last_status AS "lastStatus",
      last_duration_ms AS "lastDurationMs", last_attempt_at AS "lastAttemptAt", last_error AS "lastError",
      created_at AS "createdAt"
    FROM merchant_webhook_delivery WHERE tenant_id = ${tenantId} AND id = ${id}::uuid`;
  return (await viewsOf(db, rows))[0];
}

async function viewsOf(db: Db, rows: readonly DeliveryRow[]) {
  const next = await nextAttempts(
    db,
    deliverWebhookTask,
    rows.filter(({ status }) => status === 'queued'),
  );
  return rows.map((row) => ({
    ...row,
    lastAttemptAt: row.lastAttemptAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    nextAttemptAt: next.get(row.id) ?? null,
  }));
}
