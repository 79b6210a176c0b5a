import { z } from 'zod';
import { refundLateTruth } from '#reconciliation/index.ts';
import { recordDeed } from '../../console/audit.ts';
import { listLateTruths } from '../../console/late-truths.ts';
import { memberProcedure, operatorProcedure, router } from '../init.ts';

const byId = z.object({ id: z.uuid() });

/** Money that came for something that is over: send it back, or keep it. */
export const lateTruthsRouter = router({
  list: memberProcedure.query(({ ctx }) => listLateTruths(ctx.house.db, ctx.member.tenantId)),

  refund: operatorProcedure.input(byId).mutation(async ({ ctx, input }) => {
    const { house, member } = ctx;
    const result = await refundLateTruth(house, member.tenantId, input.id, `operator:${member.userId}`);
    await recordDeed(house.db, member, {
      action: 'late_truth.refund',
      subject: { type: 'late_truth', id: input.id },
      details: { ...result },
    });
    return result;
  }),

  dismiss: operatorProcedure.input(byId).mutation(({ ctx, input }) => {
    const { member } = ctx;
    return ctx.house.db.$transaction(async (tx) => {
      const dismissed = await tx.$executeRaw`
        UPDATE late_truth SET status = 'dismissed', decided_at = clock_timestamp(),
          decided_by = ${`operator:${member.userId}`}
        WHERE id = ${input.id}::uuid AND tenant_id = ${member.tenantId} AND status = 'open'`;
      if (dismissed === 1) {
        await recordDeed(tx, member, {
          action: 'late_truth.dismiss',
          subject: { type: 'late_truth', id: input.id },
        });
      }
      return { dismissed: dismissed === 1 };
    });
  }),
});
