import type { TaskList } from 'graphile-worker';
import { z } from 'zod';
import type { ResponseCipher } from '#idempotency/index.ts';
import type { PrismaClient } from '#prisma';
import type { OperationContext } from '../provider.ts';
import type { AddressRule } from './address-rule.ts';
import { type Consumers, consumeEvent, createConsumers, type OutboxMessage } from './consume-event.ts';
import { deliverWebhook } from './deliver-webhook.ts';
import { createDeliverySlots } from './delivery-slots.ts';
import type { DescribePurchase } from './email-consumers.ts';
import { deliverWebhookTask, paymentEventTask, sendEmailTask } from './jobs.ts';
import { createMailer, type MailSettings } from './mailer.ts';
import { contextOfDelivery, contextOfEmail } from './operation-context.ts';
import { relayEvents } from './relay.ts';
import { sendEmail } from './send-email.ts';

export interface OutboxSettings {
  /** What other modules do about events, besides e-mails and merchants' webhooks. */
  readonly consumers: Consumers;
  readonly describePurchase: DescribePurchase;
  readonly mail: MailSettings;
  /** Where merchants' endpoints may be. */
  readonly webhookAddresses: AddressRule;
  /** Opens the secrets by which webhooks are signed. */
  readonly cipher: ResponseCipher;
}

export type OutboxObservation =
  /** No event is lost: each of the batch becomes a job. */
  | { readonly kind: 'batch_failed'; readonly error: unknown }
  | {
      readonly kind: 'consumed';
      readonly eventId: string;
      readonly type: string;
      readonly operationId: string;
      readonly tenantId: string;
    }
  | ({
      readonly kind: 'message_attempted';
      readonly task: string;
      readonly id: string;
      readonly outcome: string;
    } & Partial<OperationContext>);

const rowPayload = z.object({ tenantId: z.string(), id: z.uuid() });

export interface Outbox {
  /** Takes a batch of events to their consumers, and returns how many it took. */
  relay(): Promise<number>;
  /** A job may run twice, also in two workers at once: the inbox, the unique keys and the leases make that harmless. */
  readonly tasks: TaskList;
}

export function createOutbox(
  db: PrismaClient,
  settings: OutboxSettings,
  observe: (observation: OutboxObservation) => void = () => undefined,
): Outbox {
  const mailer = createMailer(settings.mail);
  const consumers = createConsumers(settings);
  const slots = createDeliverySlots();
  const onConsumed = ({ id: eventId, type, tenantId, payment: { operationId } }: OutboxMessage) =>
    observe({ kind: 'consumed', eventId, type, operationId, tenantId });
  const tasks: TaskList = {
    async [paymentEventTask](payload) {
      onConsumed(await consumeEvent(db, rowPayload.parse(payload), consumers));
    },
    async [sendEmailTask](payload) {
      const row = rowPayload.parse(payload);
      const outcome = await sendEmail(db, mailer, row);
      const context = await contextOfEmail(db, row);
      observe({ kind: 'message_attempted', task: sendEmailTask, id: row.id, outcome, ...context });
    },
    async [deliverWebhookTask](payload) {
      const row = rowPayload.parse(payload);
      const outcome = await deliverWebhook(
        db,
        { rule: settings.webhookAddresses, cipher: settings.cipher, slots },
        row,
      );
      const context = await contextOfDelivery(db, row);
      observe({ kind: 'message_attempted', task: deliverWebhookTask, id: row.id, outcome, ...context });
    },
  };
  const onBatchFailed = (error: unknown) => observe({ kind: 'batch_failed', error });
  return { tasks, relay: () => relayEvents(db, consumers, { onConsumed, onBatchFailed }) };
}
