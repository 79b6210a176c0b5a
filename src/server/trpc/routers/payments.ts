import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { checkKey } from '#idempotency/index.ts';
import { answer, idempotent } from '#idempotency/trpc.ts';
import { createPayment, createPaymentOperation, type PaymentAnswer } from '#payments/index.ts';
import { isCurrency } from '#payments/money.ts';
import { publicProcedure, router } from '../init.ts';

/**
 * The order is what authorises: the principal of a shopper's key is the order it pays, so the link in the e-mail can go
 * on from another device, and nobody without the link can learn anything through a key.
 */
const orderProcedure = publicProcedure
  .input(z.object({ orderId: z.uuid() }))
  .use(async ({ ctx, input, next }) => {
    const order = await ctx.house.db.order.findUnique({ where: { id: input.orderId } });
    if (!order) throw new TRPCError({ code: 'NOT_FOUND', message: 'There is no such order.' });
    return next({ ctx: { order, scope: { tenantId: order.tenantId, principal: `order:${order.id}` } } });
  });

export const paymentsRouter = router({
  pay: orderProcedure
    .input(
      z.object({
        paymentMethod: z.string().regex(/^pm_\w{1,120}$/, 'Please choose a card.'),
        email: z.email('Please enter an e-mail address for the receipt.').max(254),
      }),
    )
    .use(idempotent(createPaymentOperation))
    .mutation(({ ctx, input }) => {
      const { order, execution, house } = ctx;
      if (!isCurrency(order.currency)) throw new Error(`Unknown currency ${order.currency}`);
      return answer<PaymentAnswer, never>(
        createPayment(house.provider, execution, {
          amountMinor: Number(order.amountMinor),
          currency: order.currency,
          reference: order.number,
          paymentMethod: input.paymentMethod,
          receiptEmail: input.email,
        }),
      );
    }),

  /** What became of an attempt: the first thing a page asks after a drop or a reload. */
  attempt: orderProcedure.input(z.object({ key: z.string().max(255) })).query(async ({ ctx, input }) => {
    if (checkKey(input.key).kind !== 'key') return { status: 'none' as const };
    const { store, engine } = ctx.house;
    const record = await store.find({
      tenantId: ctx.scope.tenantId,
      operation: createPaymentOperation.name,
      key: input.key,
    });
    if (!record || record.principal !== ctx.scope.principal) return { status: 'none' as const };
    const stored = record.status === 'completed' ? engine.open(createPaymentOperation, record) : undefined;
    return {
      status: record.status,
      operationId: record.id,
      answer: stored ? (JSON.parse(stored.body) as PaymentAnswer) : null,
    };
  }),
});
