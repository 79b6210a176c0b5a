import type { TaskList } from 'graphile-worker';
import { z } from 'zod';
import type { PrismaClient } from '#prisma';
import type { AddressRule } from './address-rule.ts';
import { type Consumers, consumeEvent, createConsumers } from './consume-event.ts';
import { deliverWebhook } from './deliver-webhook.ts';
import type { DescribePurchase } from './email-consumers.ts';
import { paymentEventTask } from './emit-event.ts';
import { deliverWebhookTask, sendEmailTask } from './jobs.ts';
import { createMailer, type MailSettings } from './mailer.ts';
import { contextOfDelivery, contextOfEmail, type OperationContext } from './operation-context.ts';
import { sendEmail } from './send-email.ts';

export interface OutboxSettings {
  /** What other modules do about events, besides e-mails and merchants' webhooks. */
  readonly consumers: Consumers;
  readonly describePurchase: DescribePurchase;
  readonly mail: MailSettings;
  /** Where merchants' endpoints may be. */
  readonly webhookAddresses: AddressRule;
}

export type OutboxObservation =
  | {
      readonly kind: 'consumed';
      readonly eventId: string;
      readonly type: string;
      readonly operationId: string;
      readonly tenantId: string;
    }
  | ({
      readonly kind: 'performed';
      readonly task: string;
      readonly id: string;
      readonly outcome: string;
    } & Partial<OperationContext>);

const rowPayload = z.object({ tenantId: z.string(), id: z.uuid() });

/** A job may come twice, also to two workers at once: the inbox, the unique keys and the leases see to it. */
export function createOutboxTasks(
  db: PrismaClient,
  settings: OutboxSettings,
  observe: (observation: OutboxObservation) => void = () => undefined,
): TaskList {
  const mailer = createMailer(settings.mail);
  const consumers = createConsumers(settings);
  return {
    async [paymentEventTask](payload) {
      const event = rowPayload.parse(payload);
      const { type, tenantId, payment } = await consumeEvent(db, event, consumers);
      observe({ kind: 'consumed', eventId: event.id, type, operationId: payment.operationId, tenantId });
    },
    async [sendEmailTask](payload) {
      const row = rowPayload.parse(payload);
      const outcome = await sendEmail(db, mailer, row);
      const context = await contextOfEmail(db, row);
      observe({ kind: 'performed', task: sendEmailTask, id: row.id, outcome, ...context });
    },
    async [deliverWebhookTask](payload) {
      const row = rowPayload.parse(payload);
      const outcome = await deliverWebhook(db, settings.webhookAddresses, row);
      const context = await contextOfDelivery(db, row);
      observe({ kind: 'performed', task: deliverWebhookTask, id: row.id, outcome, ...context });
    },
  };
}
