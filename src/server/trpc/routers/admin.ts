import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { statuses } from '#idempotency/index.ts';
import { enqueueProviderEvent, readCircuit, refundLateTruth } from '#reconciliation/index.ts';
import {
  countOperations,
  findOperation,
  listLateTruths,
  listOperations,
  listProviderEvents,
} from '../../operations.ts';
import { memberProcedure, operatorProcedure, router } from '../init.ts';

export const adminRouter = router({
  me: memberProcedure.query(({ ctx }) => ctx.member),

  operations: memberProcedure
    .input(z.object({ status: z.enum(statuses).optional(), limit: z.int().min(1).max(200).default(50) }))
    .query(async ({ ctx, input }) => {
      const { db } = ctx.house;
      const filter = { limit: input.limit, ...(input.status && { status: input.status }) };
      const [operations, counts] = await Promise.all([
        listOperations(db, ctx.member.tenantId, filter),
        countOperations(db, ctx.member.tenantId),
      ]);
      return { operations, counts };
    }),

  operation: memberProcedure.input(z.object({ operationId: z.uuid() })).query(async ({ ctx, input }) => {
    const found = await findOperation(ctx.house.db, ctx.member.tenantId, input.operationId);
    if (!found) throw noSuchOperation();
    return found;
  }),

  /** Whether the provider is being asked at the moment, or given time to recover. */
  provider: memberProcedure.query(({ ctx }) => readCircuit(ctx.house.db, ctx.house.settings.provider)),

  providerEvents: memberProcedure.query(({ ctx }) => listProviderEvents(ctx.house.db, ctx.member.tenantId)),

  /** Has the worker look at an event again; harmless, because an event only makes us ask. */
  reprocessEvent: operatorProcedure.input(z.object({ id: z.uuid() })).mutation(async ({ ctx, input }) => {
    const events = await listProviderEvents(ctx.house.db, ctx.member.tenantId, input.id);
    if (events.length === 0) throw new TRPCError({ code: 'NOT_FOUND', message: 'There is no such event.' });
    await enqueueProviderEvent(ctx.house.db, input.id);
  }),

  lateTruths: memberProcedure.query(({ ctx }) => listLateTruths(ctx.house.db, ctx.member.tenantId)),

  /** Money that came for something that is over: send it back, or keep it and say why. */
  refundLateTruth: operatorProcedure.input(z.object({ id: z.uuid() })).mutation(({ ctx, input }) => {
    return refundLateTruth(ctx.house, ctx.member.tenantId, input.id, `operator:${ctx.member.userId}`);
  }),

  dismissLateTruth: operatorProcedure.input(z.object({ id: z.uuid() })).mutation(async ({ ctx, input }) => {
    const dismissed = await ctx.house.db.$executeRaw`
      UPDATE late_truth SET status = 'dismissed', decided_at = clock_timestamp(),
        decided_by = ${`operator:${ctx.member.userId}`}
      WHERE id = ${input.id}::uuid AND tenant_id = ${ctx.member.tenantId} AND status = 'open'`;
    return { dismissed: dismissed === 1 };
  }),

  reconcile: operatorProcedure.input(z.object({ operationId: z.uuid() })).mutation(async ({ ctx, input }) => {
    const { db, reconciler } = ctx.house;
    const found = await findOperation(db, ctx.member.tenantId, input.operationId);
    if (!found) throw noSuchOperation();
    return reconciler.reconcile(found.id, `operator:${ctx.member.userId}`);
  }),
});

/** Another tenant's operation and one that never was are told apart by nobody. */
function noSuchOperation(): TRPCError {
  return new TRPCError({ code: 'NOT_FOUND', message: 'There is no such operation.' });
}
