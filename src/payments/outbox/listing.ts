import type { Prisma } from '#prisma';
import { byId } from '../payment-rows.ts';
import { deliverWebhookTask, jobKey, type SendingTask, sendEmailTask } from './jobs.ts';

/** What a tenant's members see of its outbox. Every query names the tenant. */
type Db = Prisma.TransactionClient;

export const emailStatuses = ['queued', 'sent', 'kept', 'failed'] as const;
export type EmailStatus = (typeof emailStatuses)[number];
export const deliveryStatuses = ['queued', 'delivered', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export async function listEmails(
  db: Db,
  tenantId: string,
  filter: { status?: EmailStatus | undefined; limit: number; before?: string | undefined },
) {
  const rows = await db.email.findMany({
    where: { tenantId, ...(filter.status && { status: filter.status }) },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: filter.limit,
    // The next page follows the last row of this one, also when rows were added meanwhile.
    ...(filter.before && { cursor: byId({ tenantId, id: filter.before }), skip: 1 }),
    omit: { html: true, text: true },
  });
  const [next, operations] = await Promise.all([
    nextAttempts(db, sendEmailTask, rows.filter(isQueued)),
    operationsOf(
      db,
      tenantId,
      rows.map(({ dedupeKey }) => dedupeKey),
    ),
  ]);
  return rows.map((row) => ({
    ...emailHead(row),
    operationId: operations.get(row.dedupeKey)?.operationId ?? null,
    reference: operations.get(row.dedupeKey)?.reference ?? null,
    nextAttemptAt: next.get(row.id) ?? null,
  }));
}

export async function findEmail(db: Db, tenantId: string, id: string) {
  const row = await db.email.findUnique({ where: byId({ tenantId, id }) });
  return row ? { ...emailHead(row), html: row.html, text: row.text } : undefined;
}

function emailHead(row: Omit<Prisma.EmailGetPayload<object>, 'html' | 'text'>) {
  return {
    id: row.id,
    about: row.dedupeKey,
    toAddress: row.toAddress,
    subject: row.subject,
    status: row.status as EmailStatus,
    attempts: row.attempts,
    lastError: row.lastError,
    createdAt: row.createdAt.toISOString(),
    sentAt: row.sentAt?.toISOString() ?? null,
  };
}

export async function listDeliveries(
  db: Db,
  tenantId: string,
  filter: { status?: DeliveryStatus | undefined; limit: number; before?: string | undefined },
) {
  const rows = await db.merchantWebhookDelivery.findMany({
    where: { tenantId, ...(filter.status && { status: filter.status }) },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: filter.limit,
    ...(filter.before && { cursor: byId({ tenantId, id: filter.before }), skip: 1 }),
    include: {
      event: {
        select: { paymentId: true, payment: { select: { operationId: true, reference: true } } },
      },
      endpoint: { select: { url: true, disabledAt: true, removedAt: true } },
    },
  });
  const next = await nextAttempts(db, deliverWebhookTask, rows.filter(isQueued));
  return rows.map((row) => ({
    id: row.id,
    eventId: row.eventId,
    type: row.type,
    /** Null for a test, which is about no payment. */
    paymentId: row.event?.paymentId ?? null,
    operationId: row.event?.payment.operationId ?? null,
    reference: row.event?.payment.reference ?? null,
    url: row.lastUrl ?? row.endpoint.url,
    mayRetry:
      (row.status === 'failed' || row.status === 'cancelled') &&
      row.event !== null &&
      !row.endpoint.disabledAt &&
      !row.endpoint.removedAt,
    body: row.body,
    status: row.status as DeliveryStatus,
    attempts: row.attempts,
    lastStatus: row.lastStatus,
    lastError: row.lastError,
    nextAttemptAt: next.get(row.id) ?? null,
    createdAt: row.createdAt.toISOString(),
    deliveredAt: row.deliveredAt?.toISOString() ?? null,
  }));
}

interface About {
  readonly operationId: string;
  /** The order's number, or the merchant's own name for the payment. */
  readonly reference: string;
}

/** What an e-mail is about is in its key: `receipt:<payment>` or `refund:<refund>`. */
async function operationsOf(db: Db, tenantId: string, keys: readonly string[]): Promise<Map<string, About>> {
  const idsOf = (kind: string) =>
    keys.filter((key) => key.startsWith(`${kind}:`)).map((key) => key.slice(kind.length + 1));
  const [payments, refunds] = await Promise.all([
    db.payment.findMany({
      where: { tenantId, id: { in: idsOf('receipt').filter(isUuid) } },
      select: { id: true, operationId: true, reference: true },
    }),
    db.refund.findMany({
      where: { tenantId, id: { in: idsOf('refund').filter(isUuid) } },
      select: { id: true, operationId: true, payment: { select: { reference: true } } },
    }),
  ]);
  return new Map([
    ...payments.map(({ id, ...about }) => [`receipt:${id}`, about] as const),
    ...refunds.map(({ id, operationId, payment }) => [`refund:${id}`, { operationId, ...payment }] as const),
  ]);
}

function isUuid(text: string): boolean {
  return /^[0-9a-f-]{36}$/.test(text);
}

function isQueued(row: { status: string }): boolean {
  return row.status === 'queued';
}

/** When the queue will try again, as read from the queue itself. */
export async function nextAttempts(
  db: Db,
  task: SendingTask,
  rows: readonly { id: string }[],
): Promise<Map<string, string>> {
  if (rows.length === 0) return new Map();
  const idOfKey = new Map(rows.map(({ id }) => [jobKey(task, id), id]));
  const jobs = await db.$queryRaw<{ key: string; run_at: Date }[]>`
    SELECT key, run_at FROM graphile_worker.jobs WHERE key = ANY(${[...idOfKey.keys()]})`;
  return new Map(jobs.map((job) => [idOfKey.get(job.key) ?? '', job.run_at.toISOString()]));
}
