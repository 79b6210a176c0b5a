import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { listCurrencies } from '#console/operations-list/list-operations.ts';
import { readPageCursors } from '#console/paging/keyset-page.ts';
import { findPayment, operationsOfPayment } from '#console/payments/find-payment.ts';
import { listPayments } from '#console/payments/list-payments.ts';
import { mayOpenOrder } from '#console/payments/order-link.ts';
import { paymentOutcomes } from '#console/payments/payment-filter.ts';
import { currencyCodes } from '#payments/money.ts';
import { providerAddress } from '#server/provider-address.ts';
import { memberProcedure, router } from '../init.ts';
import { dayInput, pageInput } from '../page-input.ts';

const amount = z.int().nonnegative();

const filter = z.object({
  outcome: z.enum(paymentOutcomes).optional(),
  ...dayInput,
  currency: z.enum(currencyCodes).optional(),
  minMinor: amount.optional(),
  maxMinor: amount.optional(),
  last4: z
    .string()
    .regex(/^\d{4}$/)
    .optional(),
  search: z.string().min(1).max(300).optional(),
});

/** The payments of a shop, for its operators. What shoppers call is in payments.ts. */
export const paymentRouter = router({
  list: memberProcedure.input(pageInput.extend({ filter: filter.default({}) })).query(({ ctx, input }) =>
    listPayments(ctx.services.db, {
      ...input,
      tenantId: ctx.member.tenantId,
      ...readPageCursors(input),
    }),
  ),

  /** The currencies that the shop was paid in. */
  currencies: memberProcedure.query(({ ctx }) => listCurrencies(ctx.services.db, [ctx.member.tenantId])),

  get: memberProcedure.input(z.object({ paymentId: z.uuid() })).query(async ({ ctx, input }) => {
    const { db, settings } = ctx.services;
    const found = await findPayment(db, ctx.member.tenantId, input.paymentId);
    // The same error for another tenant's payment as for one that does not exist.
    if (!found) throw new TRPCError({ code: 'NOT_FOUND', message: 'There is no such payment.' });
    const mayOpen = mayOpenOrder(ctx.member.role, found.payment.status === 'succeeded');
    return {
      ...found,
      order: mayOpen ? found.order : null,
      providerAddress: providerAddress(settings, found.payment),
    };
  }),

  /** Of the payment and its refunds: a page that shows others is outdated. */
  operationIds: memberProcedure
    .input(z.object({ paymentId: z.uuid() }))
    .query(({ ctx, input }) => operationsOfPayment(ctx.services.db, ctx.member.tenantId, input.paymentId)),
});
