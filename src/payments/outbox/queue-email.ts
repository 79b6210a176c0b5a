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

/** Written in the transaction of the state that it reports, together with the job that sends it. */
export async function queueEmail(
  tx: Prisma.TransactionClient,
  tenantId: string,
  content: EmailContent,
): Promise<void> {
  const id = randomUUID();
  const { count } = await tx.email.createMany({ data: [{ id, tenantId, ...content }], skipDuplicates: true });
  if (count === 1) await enqueue(tx, sendEmailTask, { tenantId, id });
}
