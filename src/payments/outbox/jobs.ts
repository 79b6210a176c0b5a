import type { Prisma } from '#prisma';
import { addJob, addJobs } from '#queue/index.ts';
import type { TenantRow } from './tenant-row.ts';

/** Takes one event to its consumers, after the relay could not. */
export const paymentEventTask = 'payment_event';
export const sendEmailTask = 'send_email';
export const deliverWebhookTask = 'deliver_webhook';
export type SendingTask = typeof sendEmailTask | typeof deliverWebhookTask;

/**
 * When to give up is decided by the row, which counts its own attempts. A job that gave up by itself would leave a row
 * that waits for ever, so it never does.
 */
const jobAttempts = 32_767;

/** The receipts of shoppers go before what waits for merchants' servers. */
const priorities: Record<SendingTask, number> = { [sendEmailTask]: 0, [deliverWebhookTask]: 10 };
/** Behind those of all tenants that have a usual number of messages to send. */
const lastPriority = 20;

/** One job for one row; written with the row, so that there is never one without the other. */
export async function enqueue(
  tx: Pick<Prisma.TransactionClient, '$executeRaw'>,
  task: SendingTask,
  row: TenantRow,
  {
    inMs = 0,
    last = false,
    attempts = 0,
  }: { readonly inMs?: number; readonly last?: boolean; readonly attempts?: number } = {},
): Promise<void> {
  await addJob(tx, {
    task,
    payload: { tenantId: row.tenantId, id: row.id },
    key: jobKey(task, row.id),
    maxAttempts: jobAttempts,
    priority: last ? lastPriority : priorities[task],
    inMs,
    attempts,
  });
}

/** As `enqueue`, for many rows at once. */
export async function enqueueAll(
  tx: Pick<Prisma.TransactionClient, '$executeRaw'>,
  task: SendingTask,
  rows: readonly (TenantRow & { readonly last: boolean })[],
): Promise<void> {
  const jobs = rows.map(({ tenantId, id, last }) => ({
    payload: { tenantId, id },
    key: jobKey(task, id),
    priority: last ? lastPriority : priorities[task],
  }));
  await addJobs(tx, { task, maxAttempts: jobAttempts }, jobs);
}

export function jobKey(task: SendingTask, rowId: string): string {
  return `${task}:${rowId}`;
}
