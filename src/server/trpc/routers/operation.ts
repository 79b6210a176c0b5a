import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { recordDeed } from '../../console/audit.ts';
import { findOperation } from '../../console/find-operation.ts';
import { memberProcedure, operatorProcedure, router } from '../init.ts';

const byId = z.object({ operationId: z.uuid() });

/** One operation: what is known of it, and what a person may do about it. */
export const operationRouter = router({
  get: memberProcedure.input(byId).query(async ({ ctx, input }) => {
    const found = await findOperation(ctx.house.db, ctx.member.tenantId, input.operationId);
    if (!found) throw noSuchOperation();
    return found;
  }),

  reconcile: operatorProcedure.input(byId).mutation(async ({ ctx, input }) => {
    const { db, reconciler } = ctx.house;
    const found = await findOperation(db, ctx.member.tenantId, input.operationId);
    if (!found) throw noSuchOperation();
    const result = await reconciler.reconcile(found.id, `operator:${ctx.member.userId}`);
    await recordDeed(db, ctx.member, {
      action: 'operation.reconcile',
      subject: { type: 'operation', id: found.id },
      details: { ...result },
    });
    return result;
  }),
});

/** Another tenant's operation and one that never was are told apart by nobody. */
function noSuchOperation(): TRPCError {
  return new TRPCError({ code: 'NOT_FOUND', message: 'There is no such operation.' });
}
