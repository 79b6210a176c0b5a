import { randomUUID } from 'node:crypto';
import type { Prisma } from '#prisma';
import { enqueue, sendEmailTask } from './jobs.ts';

export interface EmailContent {
  /** What it is about, such as receipt:<payment id>: there is one e-mail about each. */
  readonly dedupeKey: string;
  readonly toAddress: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/** When so many of a shop's last e-mails wait, its next ones go behind the e-mails and webhooks of all others. */
const usuallyWaiting = 20;

/** Written in the transaction of the state that it reports, together with the job that sends it. */
export async function queueEmail(
  tx: Prisma.TransactionClient,
  tenantId: string,
  content: EmailContent,
): Promise<void> {
  const id = randomUUID();
  const last = await hasManyWaiting(tx, tenantId);
  const { count } = await tx.email.createMany({ data: [{ id, tenantId, ...content }], skipDuplicates: true });
  if (count === 1) await enqueue(tx, sendEmailTask, { tenantId, id }, { last });
}

/** Of the latest ones, which are a few steps in an index: the oldest are sent first. */
async function hasManyWaiting(tx: Prisma.TransactionClient, tenantId: string): Promise<boolean> {
  const [latest] = await tx.$queryRaw<{ waiting: number }[]>`
    SELECT count(*) FILTER (WHERE status = 'queued')::int AS waiting FROM (
      SELECT status FROM email WHERE tenant_id = ${tenantId}
      ORDER BY created_at DESC, id DESC LIMIT ${usuallyWaiting}) AS latest`;
  return (latest?.waiting ?? 0) >= usuallyWaiting;
}
