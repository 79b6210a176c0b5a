import { Prisma, type PrismaClient } from '#prisma';
import { byId } from '../payment-rows.ts';
import type { Mailer } from './mailer.ts';
import { type MessageResult, sendMessage } from './send-message.ts';
import type { TenantRow } from './tenant-row.ts';

/** Without a mail server the e-mail is kept, for the admin's outbox page. */
export async function sendEmail(
  db: PrismaClient,
  mailer: Mailer | undefined,
  row: TenantRow,
): Promise<MessageResult | 'kept'> {
  if (!mailer) {
    const { count } = await db.email.updateMany({
      where: { tenantId: row.tenantId, id: row.id, status: 'queued' },
      data: { status: 'kept', leaseUntil: null },
    });
    return count === 1 ? 'kept' : 'nothing_to_do';
  }
  return sendMessage(db, 'email', row, async () => {
    const result = await mailer(await db.email.findUniqueOrThrow({ where: byId(row) }));
    if (result.kind === 'failed') return result;
    return { kind: 'done', set: Prisma.sql`status = 'sent', sent_at = clock_timestamp()` };
  });
}
