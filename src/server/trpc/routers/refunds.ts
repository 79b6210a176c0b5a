import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { closeRefund } from '#console/refunds/close-refund.ts';
import {
  approveRefund,
  type RefundDecided,
  rejectRefund,
  withdrawRefund,
} from '#console/refunds/decide-refund.ts';
import { LimitsOutdated, readRefundLimits, setRefundLimits } from '#console/refunds/refund-limits.ts';
import { refundPayment } from '#console/refunds/refund-payment.ts';
import { listRefundProposals } from '#console/refunds/refund-proposals.ts';
import { currencyCodes, maxAmountMinor } from '#payments/money.ts';
import {
  approverProcedure,
  memberProcedure,
  operatorProcedure,
  ownerProcedure,
  requireConfirmed,
  router,
  tooNew,
} from '../init.ts';
import { reason } from '../written-text.ts';

const byId = z.object({ id: z.uuid() });
const note = z.string().trim().max(1_000);
const amountMinor = z.int().positive().max(maxAmountMinor);
/** More than a payment has; a number beyond the column's would fail there. */
const refundsBefore = z.int().nonnegative().max(1_000_000);

/** Refunds that operators make, and those that wait for a second person. */
export const refundsRouter = router({
  create: operatorProcedure
    .input(
      z.object({ paymentId: z.uuid(), amountMinor, refundsBefore, reason, propose: z.boolean().optional() }),
    )
    .mutation(async ({ ctx, input }) => {
      const requested = await refundPayment(ctx.services, ctx.member, input);
      if (requested.kind === 'missing') throw noSuch('payment');
      return requested;
    }),

  proposals: memberProcedure.query(({ ctx }) => listRefundProposals(ctx.services.db, ctx.member.tenantId)),

  approve: approverProcedure
    .input(byId.extend({ note: note.optional() }))
    .mutation(async ({ ctx, input }) => allowed(await approveRefund(ctx.services, ctx.member, input))),

  reject: approverProcedure
    .input(byId.extend({ note: reason }))
    .mutation(async ({ ctx, input }) => allowed(await rejectRefund(ctx.services.db, ctx.member, input))),

  withdraw: operatorProcedure
    .input(byId)
    .mutation(async ({ ctx, input }) => allowed(await withdrawRefund(ctx.services.db, ctx.member, input))),

  /** An approved one that was not made and is no longer wanted. */
  close: operatorProcedure.input(byId.extend({ reason })).mutation(async ({ ctx, input }) => {
    const closed = await closeRefund(ctx.services.db, ctx.member, input);
    if (closed.kind === 'missing') throw noSuch('proposal');
    return closed;
  }),

  limits: memberProcedure.query(({ ctx }) => readRefundLimits(ctx.services.db, ctx.member.tenantId)),

  /** Null: refunds in this currency never take a second person. */
  setLimits: ownerProcedure
    .input(
      z
        .array(
          z.object({
            currency: z.enum(currencyCodes),
            amountMinor: z.int().nonnegative().max(maxAmountMinor).nullable(),
            seen: z.int().nullable().optional(),
          }),
        )
        .max(currencyCodes.length),
    )
    .mutation(async ({ ctx, input }) => {
      const { db } = ctx.services;
      try {
        await setRefundLimits(db, ctx.member, input, () => requireConfirmed(ctx.person));
      } catch (error) {
        if (!(error instanceof LimitsOutdated)) throw error;
        const message =
          'Another owner changed a limit after you opened this page. Nothing was saved: reload the page.';
        throw new TRPCError({ code: 'CONFLICT', message });
      }
    }),
});

type Allowed = Exclude<RefundDecided, { kind: 'own_proposal' | 'too_new' | 'not_yours' | 'missing' }>;

function allowed(decided: RefundDecided): Allowed {
  switch (decided.kind) {
    case 'own_proposal':
      throw new TRPCError({
        code: 'FORBIDDEN',
        message: 'You proposed this refund yourself: another person has to decide.',
      });
    case 'too_new':
      throw tooNew(decided.from);
    case 'not_yours':
      throw new TRPCError({ code: 'FORBIDDEN', message: 'Only the person who proposed it can withdraw it.' });
    case 'missing':
      throw noSuch('proposal');
    default:
      return decided;
  }
}

/** The same error for another tenant's row as for one that does not exist. */
function noSuch(thing: string): TRPCError {
  return new TRPCError({ code: 'NOT_FOUND', message: `There is no such ${thing}.` });
}
