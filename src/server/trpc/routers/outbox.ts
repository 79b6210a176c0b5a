import { TRPCError } from '@trpc/server';
import { z } from 'zod';
// Not the module's index: that one renders and sends e-mails, which is the worker's, and Next can not bundle it.
import {
  deliveryStatuses,
  emailStatuses,
  findEmail,
  findEndpoint,
  listDeliveries,
  listEmails,
  retryDelivery,
  retryEmail,
  setWebhookEndpoint,
} from '#payments/outbox/console.ts';
import { recordDeed } from '../../console/audit.ts';
import { webhookAddresses } from '../../tasks/webhook-addresses.ts';
import { memberProcedure, operatorProcedure, router } from '../init.ts';

const limit = z.int().min(1).max(200).default(50);
const before = z.uuid().optional();
const byId = z.object({ id: z.uuid() });

export const outboxRouter = router({
  emails: memberProcedure
    .input(z.object({ status: z.enum(emailStatuses).optional(), limit, before }))
    .query(({ ctx, input }) => listEmails(ctx.house.db, ctx.member.tenantId, input)),

  email: memberProcedure.input(byId).query(async ({ ctx, input }) => {
    const found = await findEmail(ctx.house.db, ctx.member.tenantId, input.id);
    if (!found) throw noSuch('e-mail');
    return found;
  }),

  retryEmail: operatorProcedure.input(byId).mutation(async ({ ctx, input }) => {
    const retried = await retryEmail(ctx.house.db, ctx.member.tenantId, input.id);
    if (!retried) throw noSuch('failed e-mail');
    await recordDeed(ctx.house.db, ctx.member, {
      action: 'email.retry',
      subject: { type: 'email', id: input.id },
    });
  }),

  deliveries: memberProcedure
    .input(z.object({ status: z.enum(deliveryStatuses).optional(), limit, before }))
    .query(({ ctx, input }) => listDeliveries(ctx.house.db, ctx.member.tenantId, input)),

  retryDelivery: operatorProcedure.input(byId).mutation(async ({ ctx, input }) => {
    const retried = await retryDelivery(ctx.house.db, ctx.member.tenantId, input.id);
    if (!retried) throw noSuch('failed delivery, or no endpoint to deliver it to');
    await recordDeed(ctx.house.db, ctx.member, {
      action: 'delivery.retry',
      subject: { type: 'delivery', id: input.id },
    });
  }),

  webhookEndpoint: memberProcedure.query(async ({ ctx }) => {
    const endpoint = await findEndpoint(ctx.house.db, ctx.member.tenantId);
    return endpoint && { url: endpoint.url, createdAt: endpoint.createdAt.toISOString() };
  }),

  /** The secret is in this answer and nowhere else. */
  setWebhookEndpoint: operatorProcedure
    .input(z.object({ url: z.url().max(2_000) }))
    .mutation(async ({ ctx, input }) => {
      const { db, settings } = ctx.house;
      const result = await setWebhookEndpoint(db, ctx.member.tenantId, input.url, webhookAddresses(settings));
      if (result.kind === 'url_refused') {
        throw new TRPCError({
          code: 'BAD_REQUEST',
          message: 'The address must be a public one that starts with https://.',
        });
      }
      return { url: result.url, secret: result.secret };
    }),
});

/** Another tenant's and one that never was are told apart by nobody. */
function noSuch(thing: string): TRPCError {
  return new TRPCError({ code: 'NOT_FOUND', message: `There is no such ${thing}.` });
}
