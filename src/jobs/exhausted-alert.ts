import type { TaskList } from 'graphile-worker';
import { z } from 'zod';
import type { OperationRecord } from '#idempotency/index.ts';
import type { Prisma, PrismaClient } from '#prisma';
import type { Env } from '#server/env.ts';

const task = 'alert_exhausted';
const job = z.object({ operationId: z.uuid(), attempt: z.int().positive() });
type Job = z.output<typeof job>;
/** The receiver of an alert has no reason to be slow. */
const timeoutMs = 10_000;

/**
 * Has a person told that nobody but a person can settle an operation. A job, so that it outlives this process and the
 * receiver's bad hour; one per attempt, however often its schedule is found exhausted. A key that was released and tried
 * again can exhaust a second schedule, and that is news.
 */
export async function enqueueExhaustedAlert(
  db: Pick<Prisma.TransactionClient, '$executeRaw'>,
  { id: operationId, attempt }: Pick<OperationRecord, 'id' | 'attempt'>,
): Promise<void> {
  const about: Job = { operationId, attempt };
  await db.$executeRaw`
    SELECT graphile_worker.add_job(${task}, ${JSON.stringify(about)}::json,
      job_key => ${`${task}:${nameOf(about)}`}, max_attempts => 25)`;
}

function nameOf({ operationId, attempt }: Job): string {
  return `${operationId}:${attempt}`;
}

export function createAlertTasks(parts: {
  readonly db: PrismaClient;
  readonly settings: Pick<Env, 'ALERT_WEBHOOK_URL' | 'PUBLIC_URL'>;
}): TaskList {
  return {
    async [task](payload) {
      const about = job.parse(payload);
      const { db, settings } = parts;
      if (!settings.ALERT_WEBHOOK_URL) return;
      const message = { consumer: task, messageId: nameOf(about) };
      if (await db.inboxMessage.findUnique({ where: { consumer_messageId: message } })) return;
      const alert = await describe(db, settings.PUBLIC_URL, about);
      // Settled while the alert was waiting: nobody needs to get up.
      if (!alert) return;
      await post(settings.ALERT_WEBHOOK_URL, alert);
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
  const { operationId, attempt } = about;
  const [row] = await db.$queryRaw<AlertRow[]>`
    SELECT record.operation, coalesce(tenant.slug, 'unknown') AS tenant,
      coalesce(refund.amount_minor, payment.amount_minor)::float8 AS "amountMinor", payment.currency,
      payment.reference, record.reconcile_attempts AS checks,
      extract(epoch FROM clock_timestamp() - record.updated_at)::int AS "ageSeconds"
    FROM idempotency_record record
    LEFT JOIN organization tenant ON tenant.id = record.tenant_id
    LEFT JOIN refund ON refund.operation_id = record.id
    LEFT JOIN payment ON payment.operation_id = record.id OR payment.id = refund.payment_id
    WHERE record.id = ${operationId}::uuid AND record.attempt = ${attempt} AND record.status = 'unknown'`;
  if (!row) return undefined;
  return {
    type: 'reconciliation.exhausted',
    // The same for every delivery of this alert: a receiver that got it twice can tell.
    id: `${task}:${nameOf(about)}`,
    // What chat programs show.
    text: `Paidonce could not find out what became of operation ${operationId} of ${row.tenant} after ${row.checks} looks. A person has to decide.`,
    operationId,
    ...row,
    link: `${publicUrl}/admin/operations/${operationId}`,
  };
}

/** The address is a secret of its own with many receivers: no message here repeats it. */
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
  if (!response.ok) throw new Error(`The receiver of alerts answered ${response.status}.`);
}
