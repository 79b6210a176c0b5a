import type { Prisma, PrismaClient } from '#prisma';
import { byId } from '../payment-rows.ts';
import {
  type DescribePurchase,
  issueReceipts,
  queueOutcomeNotice,
  queueRefundNotice,
} from './email-consumers.ts';
import type { TenantRow } from './tenant-row.ts';
import { notifyMerchants } from './webhook-consumer.ts';

export type OutboxMessage = Prisma.OutboxEventGetPayload<{ include: { payment: true } }>;

/**
 * A consumer takes messages in: it writes what is to be sent and the jobs that will send it. Nothing is sent here, so all
 * of it commits with the inbox rows or not at all. It gets several at once, so that they can share its statements.
 */
export type Consumer = (tx: Prisma.TransactionClient, events: readonly OutboxMessage[]) => Promise<void>;

export type Consumers = Readonly<Record<string, Consumer>>;

/** By the names under which the inbox remembers what each has consumed: they never change. */
export function createConsumers(parts: {
  readonly describePurchase: DescribePurchase;
  /** Those of other modules. */
  readonly consumers: Consumers;
}): Consumers {
  const { describePurchase } = parts;
  return {
    receipt: (tx, events) => issueReceipts(tx, events, describePurchase),
    refund_notice: oneByOne((tx, event) => queueRefundNotice(tx, event, describePurchase)),
    outcome_notice: oneByOne((tx, event) => queueOutcomeNotice(tx, event, describePurchase)),
    merchant_webhook: notifyMerchants,
    ...parts.consumers,
  };
}

/** For messages that few events lead to. */
function oneByOne(consume: (tx: Prisma.TransactionClient, event: OutboxMessage) => Promise<void>): Consumer {
  return async (tx, events) => {
    for (const event of events) await consume(tx, event);
  };
}

/** Each consumer has a transaction and an inbox row of its own: a failing one neither delays nor repeats the others. */
export async function consumeEvent(
  db: PrismaClient,
  row: TenantRow,
  consumers: Consumers,
): Promise<OutboxMessage> {
  const event = await db.outboxEvent.findUniqueOrThrow({
    where: byId(row),
    include: { payment: true },
  });
  const errors: unknown[] = [];
  for (const [name, consume] of Object.entries(consumers)) {
    try {
      await once(db, name, row, (tx) => consume(tx, [event]));
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0)
    throw new AggregateError(errors, `Event ${row.id}: ${errors.map(String).join('; ')}`);
  return event;
}

/** Of two at once the second waits at the inbox row for the first to commit, and then finds it taken. */
async function once(
  db: PrismaClient,
  consumer: string,
  message: TenantRow,
  effect: (tx: Prisma.TransactionClient) => Promise<void>,
): Promise<void> {
  await db.$transaction(async (tx) => {
    const { count } = await tx.inboxMessage.createMany({
      data: [{ tenantId: message.tenantId, consumer, messageId: message.id }],
      skipDuplicates: true,
    });
    if (count === 1) await effect(tx);
  });
}
