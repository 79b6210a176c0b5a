import { Prisma, type PrismaClient } from '#prisma';
import { type Attempt, attempt } from './perform.ts';
import type { Mailer } from './mailer.ts';

/** Without a mail server the e-mail is kept, for the admin's outbox page. */
export async function sendEmail(
  db: PrismaClient,
  mailer: Mailer | undefined,
  id: string,
): Promise<Attempt | 'kept'> {
  if (!mailer) {
    const { count } = await db.email.updateMany({
      where: { id, status: 'queued' },
      data: { status: 'kept', leaseUntil: null },
    });
    return count === 1 ? 'kept' : 'nothing_to_do';
  }
  return attempt(db, 'email', id, async () => {
    const result = await mailer(await db.email.findUniqueOrThrow({ where: { id } }));
    if (result.kind === 'failed') return result;
    return { kind: 'done', set: Prisma.sql`status = 'sent', sent_at = clock_timestamp()` };
  });
}
