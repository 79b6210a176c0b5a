import { TRPCError } from '@trpc/server';
import { z } from 'zod';
// Not the module's index: that one renders and sends e-mails, which is the worker's, and Next can not bundle it.
import {
  deliveryStatuses,
  emailStatuses,
  findEmail,
  listDeliveries,
  listEmails,
  retryDelivery,
  retryEmail,
} from '#payments/outbox/console.ts';
import { recordDeed } from '#console/audit/write-audit-entry.ts';
import { reaches } from '#console/members/membership.ts';
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
    // The link in an invitation lets whoever reads it in, with the role that it offers.
    if (found.about.startsWith('invitation:') && !reaches(ctx.member.role, 'owner')) {
      throw new TRPCError({ code: 'FORBIDDEN', message: 'Invitations are for owners to read.' });
    }
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
});

/** Another tenant's and one that never was are told apart by nobody. */
function noSuch(thing: string): TRPCError {
  return new TRPCError({ code: 'NOT_FOUND', message: `There is no such ${thing}.` });
}
