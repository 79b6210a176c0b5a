import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { writeAuditEntry } from '#console/audit/write-audit-entry.ts';
import {
  findProviderEvent,
  inboxStatuses,
  inboxTypes,
  listProviderEvents,
} from '#console/inbox/provider-inbox.ts';
import { enqueueProviderEvent } from '#reconciliation/index.ts';
import { memberProcedure, operatorProcedure, router } from '../init.ts';

const byId = z.object({ id: z.uuid() });
const listed = z
  .object({
    status: z.enum(inboxStatuses).optional(),
    type: z.string().max(100).optional(),
    before: z.uuid().optional(),
    limit: z.int().min(1).max(200).default(50),
  })
  .prefault({});

/** What the provider told us by itself. */
export const inboxRouter = router({
  list: memberProcedure
    .input(listed)
    .query(({ ctx, input: { before, limit, ...filter } }) =>
      listProviderEvents(ctx.services.db, ctx.member.tenantId, filter, { before, limit }),
    ),

  types: memberProcedure.query(({ ctx }) => inboxTypes(ctx.services.db, ctx.member.tenantId)),

  get: memberProcedure.input(byId).query(async ({ ctx, input }) => {
    const event = await findProviderEvent(ctx.services.db, ctx.member.tenantId, input.id);
    if (!event) throw noSuchEvent();
    return event;
  }),

  /** Has the worker look at an event again; harmless, because an event only makes us ask. */
  reprocess: operatorProcedure.input(byId).mutation(async ({ ctx, input }) => {
    const { db } = ctx.services;
    const event = await findProviderEvent(db, ctx.member.tenantId, input.id);
    if (!event) throw noSuchEvent();
    await db.$transaction(async (tx) => {
      await enqueueProviderEvent(tx, input.id);
      await writeAuditEntry(tx, ctx.member, {
        action: 'provider_event.reprocess',
        subject: { type: 'provider_event', id: input.id },
        details: { event: event.eventId, type: event.type, operation: event.operationId },
      });
    });
  }),
});

function noSuchEvent(): TRPCError {
  return new TRPCError({ code: 'NOT_FOUND', message: 'There is no such event.' });
}
