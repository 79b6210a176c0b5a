import type { TaskList } from 'graphile-worker';
import { z } from 'zod';
import { paymentEventTask } from '#payments/index.ts';
import type { Prisma } from '#prisma';
import type { House } from './wiring.ts';

const paymentEvent = z.object({ eventId: z.uuid() });

/** What the worker does. A job may come twice; each consumer takes a message in once, by its inbox. */
export function createTasks({ db, log }: Pick<House, 'db' | 'log'>): TaskList {
  return {
    async [paymentEventTask](payload) {
      const { eventId } = paymentEvent.parse(payload);
      const event = await db.outboxEvent.findUniqueOrThrow({ where: { id: eventId } });
      if (event.type === 'payment.succeeded') {
        await once(db, 'receipt', eventId, (tx) => issueReceipt(tx, event.paymentId));
      }
      log.info(
        { eventId, type: event.type, paymentId: event.paymentId, tenantId: event.tenantId },
        'event consumed',
      );
    },
  };
}

/** The inbox row and the effect commit together: a crash between them is impossible, a repetition finds the row. */
async function once(
  db: House['db'],
  consumer: string,
  messageId: string,
  effect: (tx: Prisma.TransactionClient) => Promise<void>,
): Promise<void> {
  await db.$transaction(async (tx) => {
    const { count } = await tx.inboxMessage.createMany({
      data: [{ consumer, messageId }],
      skipDuplicates: true,
    });
    if (count === 1) await effect(tx);
  });
}

async function issueReceipt(tx: Prisma.TransactionClient, paymentId: string): Promise<void> {
  await tx.receipt.createMany({ data: [{ paymentId }], skipDuplicates: true });
}
