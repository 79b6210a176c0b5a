import { z } from 'zod';
import { refundLateTruth } from '#reconciliation/index.ts';
import { recordDeed } from '#console/audit/write-audit-entry.ts';
import { readPlace } from '#console/paging/keyset-page.ts';
import { listLateTruths } from '#console/exceptions/list-exceptions.ts';
import { actorOf } from '#console/resolution/resolve.ts';
import { memberProcedure, operatorProcedure, router } from '../init.ts';
import { pageInput } from '../page-input.ts';

const decision = z.object({
  id: z.uuid(),
  reason: z.string().trim().min(5, 'Say why, in a few words.').max(1_000),
});

/** Money that came for something that is over: send it back, or keep it. */
export const lateTruthsRouter = router({
  list: memberProcedure
    .input(pageInput.extend({ onlyOpen: z.boolean().default(false) }))
    .query(({ ctx, input }) =>
      listLateTruths(ctx.house.db, { ...input, ...readPlace(input), tenantId: ctx.member.tenantId }),
    ),

  refund: operatorProcedure.input(decision).mutation(({ ctx: { house, member }, input }) =>
    refundLateTruth(house, member.tenantId, input.id, {
      actor: actorOf(member),
      reason: input.reason,
      writes: (tx) =>
        recordDeed(tx, member, {
          action: 'late_truth.refund',
          subject: { type: 'late_truth', id: input.id },
          reason: input.reason,
        }),
    }),
  ),

  dismiss: operatorProcedure.input(decision).mutation(({ ctx, input }) => {
    const { member } = ctx;
    return ctx.house.db.$transaction(async (tx) => {
      const dismissed = await tx.$executeRaw`
        UPDATE late_truth SET status = 'dismissed', decided_at = clock_timestamp(),
          decided_by = ${actorOf(member)}, decision_reason = ${input.reason}
        WHERE id = ${input.id}::uuid AND tenant_id = ${member.tenantId} AND status = 'open'`;
      if (dismissed === 1) {
        await recordDeed(tx, member, {
          action: 'late_truth.dismiss',
          subject: { type: 'late_truth', id: input.id },
          reason: input.reason,
        });
      }
      return { dismissed: dismissed === 1 };
    });
  }),
});
