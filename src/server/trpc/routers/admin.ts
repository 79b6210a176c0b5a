import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { statuses } from '#idempotency/index.ts';
import { countOperations, findOperation, listOperations } from '../../operations.ts';
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
