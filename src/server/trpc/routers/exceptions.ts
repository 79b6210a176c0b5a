import { z } from 'zod';
import { actorOf, writeAuditEntry } from '#console/audit/write-audit-entry.ts';
import { dismissException } from '#console/exceptions/dismiss-exception.ts';
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

const generation = z.int().positive().max(1_000_000);

/** Money that the books do not expect: an operator refunds it, books it or keeps it. */
export const exceptionsRouter = router({
  list: memberProcedure
    .input(pageInput.extend({ onlyOpen: z.boolean().default(false) }))
    .query(({ ctx, input }) =>
      listExceptions(ctx.services.db, { ...input, ...readPageCursors(input), tenantId: ctx.member.tenantId }),
    ),

  refund: operatorProcedure
    .input(decision.extend({ generation, refundsBefore: z.int().nonnegative().max(1_000_000) }))
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

  dismiss: operatorProcedure
    .input(decision.extend({ generation }))
    .mutation(({ ctx: { services, member }, input }) => dismissException(services.db, member, input)),
});
