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
import { countQuestion } from '../ask-provider.ts';
import { memberProcedure, operatorProcedure, router } from '../init.ts';

const byId = z.object({ id: z.uuid() });
const listed = z
  .object({
    status: z.enum(inboxStatuses).optional(),
    type: z.string().max(100).optional(),
    // From an address: what is no position in the list gives its first page.
    before: z.uuid().optional().catch(undefined),
    limit: z.int().min(1).max(200).default(50),
  })
  .prefault({});

/** The events that the provider sent. */
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

  /** Has the worker process an event again. That is safe, because an event only causes a check at the provider. */
  reprocess: operatorProcedure.input(byId).mutation(async ({ ctx, input }) => {
    const { db } = ctx.services;
    await countQuestion(ctx);
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
