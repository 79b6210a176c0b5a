import type { TaskList } from 'graphile-worker';
import { z } from 'zod';
import type { PrismaClient } from '#prisma';
import { paymentEventTask } from './emit-event.ts';
import type { AddressRule } from './address-rule.ts';
import { consumeEvent } from './consume-event.ts';
import { deliverWebhook } from './deliver-webhook.ts';
import { deliverWebhookTask, sendEmailTask } from './jobs.ts';
import { createMailer, type MailSettings } from './mailer.ts';
import { sendEmail } from './send-email.ts';
import { type Whose, whoseDelivery, whoseEmail } from './operation-context.ts';

export interface OutboxSettings {
  readonly publicUrl: string;
  readonly mail: MailSettings;
  /** Where merchants' endpoints may be. */
  readonly webhookAddresses: AddressRule;
}

export type OutboxNews =
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
    } & Partial<Whose>);

const eventPayload = z.object({ eventId: z.uuid() });
const rowPayload = z.object({ id: z.uuid() });

/** A job may come twice, also to two workers at once: the inbox, the unique keys and the leases see to it. */
export function createOutboxTasks(
  db: PrismaClient,
  settings: OutboxSettings,
  observe: (news: OutboxNews) => void = () => undefined,
): TaskList {
  const mailer = createMailer(settings.mail);
  return {
    async [paymentEventTask](payload) {
      const { eventId } = eventPayload.parse(payload);
      const { type, tenantId, payment } = await consumeEvent(db, eventId, settings);
      observe({ kind: 'consumed', eventId, type, operationId: payment.operationId, tenantId });
    },
    async [sendEmailTask](payload) {
      const { id } = rowPayload.parse(payload);
      const outcome = await sendEmail(db, mailer, id);
      observe({ kind: 'performed', task: sendEmailTask, id, outcome, ...(await whoseEmail(db, id)) });
    },
    async [deliverWebhookTask](payload) {
      const { id } = rowPayload.parse(payload);
      const outcome = await deliverWebhook(db, settings.webhookAddresses, id);
      observe({ kind: 'performed', task: deliverWebhookTask, id, outcome, ...(await whoseDelivery(db, id)) });
    },
  };
}
