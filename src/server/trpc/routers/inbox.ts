import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { enqueueProviderEvent } from '#reconciliation/index.ts';
import { recordDeed } from '../../console/audit.ts';
import { listProviderEvents } from '../../console/provider-inbox.ts';
import { memberProcedure, operatorProcedure, router } from '../init.ts';

/** What the provider told us by itself. */
export const inboxRouter = router({
  list: memberProcedure.query(({ ctx }) => listProviderEvents(ctx.house.db, ctx.member.tenantId)),

  /** Has the worker look at an event again; harmless, because an event only makes us ask. */
  reprocess: operatorProcedure.input(z.object({ id: z.uuid() })).mutation(async ({ ctx, input }) => {
    const { db } = ctx.house;
    const [event] = await listProviderEvents(db, ctx.member.tenantId, input.id);
    if (!event) throw new TRPCError({ code: 'NOT_FOUND', message: 'There is no such event.' });
    await enqueueProviderEvent(db, input.id);
    await recordDeed(db, ctx.member, {
      action: 'provider_event.reprocess',
      subject: { type: 'provider_event', id: event.eventId },
    });
  }),
});
