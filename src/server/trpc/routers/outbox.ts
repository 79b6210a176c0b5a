import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { writeAuditEntry } from '#console/audit/write-audit-entry.ts';
import { hideMailedLink } from '#console/members/invitations.ts';
import { isAtLeast } from '#console/members/membership.ts';
import { hideOrderLink, mayOpenOrder } from '#console/payments/order-link.ts';
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
import { memberProcedure, operatorProcedure, router } from '../init.ts';

const limit = z.int().min(1).max(200).default(50);
const before = z.uuid().optional();
const byId = z.object({ id: z.uuid() });

export const outboxRouter = router({
  emails: memberProcedure
    .input(z.object({ status: z.enum(emailStatuses).optional(), limit, before }))
    .query(({ ctx, input }) => listEmails(ctx.services.db, ctx.member.tenantId, input)),

  email: memberProcedure.input(byId).query(async ({ ctx, input }) => {
    const found = await findEmail(ctx.services.db, ctx.member.tenantId, input.id);
    if (!found) throw noSuch('e-mail');
    // The e-mail about a payment that did not happen leads to an order that is open.
    if (found.about.startsWith('not_charged:') && !mayOpenOrder(ctx.member.role, false))
      return { ...found, ...hideOrderLink(found) };
    if (!found.about.startsWith('invitation:')) return found;
    // The link in an invitation grants its reader the role that it offers.
    if (!isAtLeast(ctx.member.role, 'owner')) {
      throw new TRPCError({ code: 'FORBIDDEN', message: 'Invitations are for owners to read.' });
    }
    return { ...found, ...(await hideMailedLink(ctx.services.db, ctx.member.tenantId, found)) };
  }),

  retryEmail: operatorProcedure.input(byId).mutation(async ({ ctx, input }) => {
    await ctx.services.db.$transaction(async (tx) => {
      const retried = await retryEmail(tx, ctx.member.tenantId, input.id);
      if (!retried) throw noSuch('failed e-mail');
      await writeAuditEntry(tx, ctx.member, {
        action: 'email.retry',
        subject: { type: 'email', id: input.id },
      });
    });
  }),

  deliveries: memberProcedure
    .input(z.object({ status: z.enum(deliveryStatuses).optional(), limit, before }))
    .query(({ ctx, input }) => listDeliveries(ctx.services.db, ctx.member.tenantId, input)),

  retryDelivery: operatorProcedure.input(byId).mutation(async ({ ctx, input }) => {
    await ctx.services.db.$transaction(async (tx) => {
      const retried = await retryDelivery(tx, ctx.member.tenantId, input.id);
      if (!retried) throw noSuch('failed delivery, or no endpoint to deliver it to');
      await writeAuditEntry(tx, ctx.member, {
        action: 'delivery.retry',
        subject: { type: 'delivery', id: input.id },
      });
    });
  }),
});

/** The same error for another tenant's row as for one that does not exist. */
function noSuch(thing: string): TRPCError {
  return new TRPCError({ code: 'NOT_FOUND', message: `There is no such ${thing}.` });
}
