import type { TaskList } from 'graphile-worker';
import { z } from 'zod';
import type { OperationRecord } from '#idempotency/index.ts';
import { moneyOfOperation } from '#payments/index.ts';
import { Prisma, type PrismaClient } from '#prisma';
import { addJob } from '#queue/index.ts';

const task = 'alert_exhausted';
const job = z.object({ tenantId: z.string(), operationId: z.uuid(), attempt: z.int().positive() });
type Job = z.output<typeof job>;
/** The receiver of an alert has no reason to be slow. */
const timeoutMs = 10_000;

/**
 * Alerts the operators that an operation needs a decision of theirs. A job, so that it survives this process and an outage of
 * the receiver; one per attempt, however often its schedule is found exhausted. A key that was released and retried can
 * exhaust a second schedule, which is another alert.
 */
export async function enqueueExhaustedAlert(
  db: Pick<Prisma.TransactionClient, '$executeRaw'>,
  { tenantId, id: operationId, attempt }: Pick<OperationRecord, 'tenantId' | 'id' | 'attempt'>,
): Promise<void> {
  const about: Job = { tenantId, operationId, attempt };
  await addJob(db, { task, payload: about, key: `${task}:${nameOf(about)}` });
}

function nameOf({ operationId, attempt }: Job): string {
  return `${operationId}:${attempt}`;
}

export interface AlertSettings {
  /** Undefined: no alerts are sent. */
  readonly webhookUrl: string | undefined;
  readonly publicUrl: string;
}

export function createAlertTasks(db: PrismaClient, { webhookUrl, publicUrl }: AlertSettings): TaskList {
  return {
    async [task](payload) {
      const about = job.parse(payload);
      if (!webhookUrl) return;
      const message = { tenantId: about.tenantId, consumer: task, messageId: nameOf(about) };
      if (await db.inboxMessage.findUnique({ where: { tenantId_consumer_messageId: message } })) return;
      const alert = await describe(db, publicUrl, about);
      // Resolved while the alert was waiting: there is nothing to decide.
      if (!alert) return;
      await post(webhookUrl, alert);
      await db.inboxMessage.createMany({ data: [message], skipDuplicates: true });
    },
  };
}

interface AlertRow {
  readonly operation: string;
  readonly tenant: string;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly reference: string | null;
  readonly ageSeconds: number;
  readonly checks: number;
}

async function describe(db: PrismaClient, publicUrl: string, about: Job): Promise<object | undefined> {
  const { tenantId, operationId, attempt } = about;
  const [row] = await db.$queryRaw<AlertRow[]>`
    SELECT o.operation, coalesce(tenant.slug, 'unknown') AS tenant, money.amount_minor::float8 AS "amountMinor",
      money.currency, money.reference, o.check_count AS checks,
      extract(epoch FROM clock_timestamp() - o.unknown_since)::int AS "ageSeconds"
    FROM operation o
    LEFT JOIN organization tenant ON tenant.id = o.tenant_id
    LEFT JOIN LATERAL (${moneyOfOperation(Prisma.sql`o.tenant_id`, Prisma.sql`o.id`)}) AS money ON true
    WHERE o.tenant_id = ${tenantId} AND o.id = ${operationId}::uuid AND o.attempt = ${attempt}
      AND o.status = 'unknown'`;
  if (!row) return undefined;
  return {
    type: 'reconciliation.exhausted',
    // The same for every delivery of this alert, so that a receiver can deduplicate it.
    id: `${task}:${nameOf(about)}`,
    // What chat programs show.
    text: `Paidonce could not find out what became of operation ${operationId} of ${row.tenant} after ${row.checks} checks. A person has to decide.`,
    operationId,
    ...row,
    link: `${publicUrl}/admin/operations/${operationId}`,
  };
}

/** With many receivers the address is itself a secret: no error message contains it. */
async function post(url: string, alert: object): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(alert),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    throw new Error('The receiver of alerts could not be reached.', { cause: error });
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The receiver of alerts responded ${response.status}.`);
}
