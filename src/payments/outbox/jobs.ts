import type { Prisma } from '#prisma';

export const sendEmailTask = 'send_email';
export const deliverWebhookTask = 'deliver_webhook';
export type PerformingTask = typeof sendEmailTask | typeof deliverWebhookTask;

/**
 * When to give up is decided by the row, which counts its own attempts. A job that gave up by itself would leave a row
 * that waits for ever, so it never does.
 */
const jobAttempts = 32_767;

/** Names a row of a tenant's table. */
export interface TenantRow {
  readonly tenantId: string;
  readonly id: string;
}

/** One job for one row; written with the row, so that there is never one without the other. */
export async function enqueue(
  tx: Prisma.TransactionClient,
  task: PerformingTask,
  row: TenantRow,
): Promise<void> {
  const payload = JSON.stringify({ tenantId: row.tenantId, id: row.id });
  await tx.$executeRaw`
    SELECT graphile_worker.add_job(
      ${task}, ${payload}::json, job_key => ${jobKey(task, row.id)}, max_attempts => ${jobAttempts}::int)`;
}

export function jobKey(task: PerformingTask, rowId: string): string {
  return `${task}:${rowId}`;
}
