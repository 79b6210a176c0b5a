import type { Prisma, PrismaClient } from '#prisma';
import { notifyOfRefund, sendReceipt } from './email-consumers.ts';
import { tellMerchant } from './webhook-consumer.ts';

export type OutboxMessage = Prisma.OutboxEventGetPayload<{ include: { payment: true } }>;

/**
 * A consumer takes a message in: it writes down what is to be done and the job that will do it. Nothing leaves the
 * house here, so the whole of it commits with the inbox row or not at all.
 */
type Consumer = (
  tx: Prisma.TransactionClient,
  event: OutboxMessage,
  settings: ConsumerSettings,
) => Promise<void>;

export interface ConsumerSettings {
  /** Where shoppers find their orders. */
  readonly publicUrl: string;
}

const consumers: Record<string, Consumer> = {
  receipt: sendReceipt,
  refund_notice: notifyOfRefund,
  merchant_webhook: tellMerchant,
};

/** Each consumer by itself: what one can not do, another does not wait for, and is not done twice for. */
export async function consumeEvent(
  db: PrismaClient,
  eventId: string,
  settings: ConsumerSettings,
): Promise<OutboxMessage> {
  const event = await db.outboxEvent.findUniqueOrThrow({
    where: { id: eventId },
    include: { payment: true },
  });
  const errors: unknown[] = [];
  for (const [name, consume] of Object.entries(consumers)) {
    try {
      await once(db, name, eventId, (tx) => consume(tx, event, settings));
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0)
    throw new AggregateError(errors, `Event ${eventId}: ${errors.map(String).join('; ')}`);
  return event;
}

/** Two at once: the second waits at the inbox row for the first to commit, and then finds that it is there. */
async function once(
  db: PrismaClient,
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
