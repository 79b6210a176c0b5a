import { z } from 'zod';
import { statuses } from '#idempotency/index.ts';
import { readCircuit } from '#reconciliation/index.ts';
import { countOperations, listOperations } from '../../console/list-operations.ts';
import { memberProcedure, router } from '../init.ts';

/** The list of operations and what surrounds it. */
export const operationsRouter = router({
  list: memberProcedure
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

  /** Whether the provider is being asked at the moment, or given time to recover. */
  provider: memberProcedure.query(({ ctx }) => readCircuit(ctx.house.db, ctx.house.settings.provider)),
});
