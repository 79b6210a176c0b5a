import { z } from 'zod';
import { actorOf, writeAuditEntry } from '#console/audit/write-audit-entry.ts';
import { listExceptions } from '#console/exceptions/list-exceptions.ts';
import { refundAsOperator } from '#console/exceptions/refund-as-operator.ts';
import { readPageCursors } from '#console/paging/keyset-page.ts';
import { bookException } from '#payments/index.ts';
import { memberProcedure, operatorProcedure, router } from '../init.ts';
import { pageInput } from '../page-input.ts';
import { reason } from '../written-text.ts';

const decision = z.object({
  id: z.uuid(),
  reason,
});

/** Money that the books do not expect: an operator refunds it, books it or keeps it. */
export const exceptionsRouter = router({
  list: memberProcedure
    .input(pageInput.extend({ onlyOpen: z.boolean().default(false) }))
    .query(({ ctx, input }) =>
      listExceptions(ctx.services.db, { ...input, ...readPageCursors(input), tenantId: ctx.member.tenantId }),
    ),

  refund: operatorProcedure
    .input(decision.extend({ refundsBefore: z.int().nonnegative().max(1_000_000) }))
    .mutation(({ ctx: { services, member }, input }) => refundAsOperator(services, member, input)),

  book: operatorProcedure.input(decision).mutation(({ ctx: { services, member }, input }) =>
    bookException(services, member.tenantId, input.id, {
      actor: actorOf(member),
      reason: input.reason,
      writes: (tx) =>
        writeAuditEntry(tx, member, {
          action: 'exception.book',
          subject: { type: 'exception', id: input.id },
          reason: input.reason,
        }),
    }),
  ),

  /** Not while a refund of it was decided and has not ended: its money may be on the way back. */
  dismiss: operatorProcedure.input(decision).mutation(({ ctx, input }) => {
    const { member } = ctx;
    return ctx.services.db.$transaction(async (tx) => {
      const dismissed = await tx.$executeRaw`
        UPDATE reconciliation_exception SET status = 'dismissed', decided_at = clock_timestamp(),
          decided_by = ${actorOf(member)}, decision_reason = ${input.reason}
        WHERE tenant_id = ${member.tenantId} AND id = ${input.id}::uuid AND status = 'open' AND decided_by IS NULL`;
      if (dismissed === 1) {
        await writeAuditEntry(tx, member, {
          action: 'exception.dismiss',
          subject: { type: 'exception', id: input.id },
          reason: input.reason,
        });
      }
      return { dismissed: dismissed === 1 };
    });
  }),
});
