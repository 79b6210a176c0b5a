import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { answer, idempotent } from '#idempotency/adapters/trpc.ts';
import {
  createPayment,
  createPaymentOperation,
  type PaymentAnswer,
  paymentProblems,
} from '#payments/index.ts';
import { isCurrency } from '#payments/money.ts';
import { type AttemptView, findAttempt, hasEnded, viewAttempt } from '#shop/payment-status.ts';
import { topicOfOrder, viewOrderPayments } from '#shop/order-payments.ts';
import { whenChanged } from '#server/live/when-changed.ts';
import { createRateLimitStorage } from '#server/rate-limit.ts';
import { secondsUntilNextAttempt } from '#shop/payment-limit.ts';
import { cancelOrder } from '#shop/cancel-order.ts';
import { publicProcedure, router } from '../init.ts';

const attemptKey = z.object({ key: z.string().max(255) });

/**
 * The order is what authorises: the principal of a shopper's key is the order it pays, so the link in the e-mail can go
 * on from another device, and nobody without the link can learn anything through a key.
 */
export const orderProcedure = publicProcedure
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
    .mutation(async ({ ctx, input }) => {
      const { order, execution, house } = ctx;
      if (order.cancelledAt) return answer<PaymentAnswer, never>(Promise.resolve(orderCancelled));
      const retryAfterSeconds = await secondsUntilNextAttempt(house.db, order);
      if (retryAfterSeconds) return answer<PaymentAnswer, never>(Promise.resolve(tooMany(retryAfterSeconds)));
      if (!isCurrency(order.currency)) throw new Error(`Unknown currency ${order.currency}`);
      return answer<PaymentAnswer, never>(
        createPayment(house.provider, execution, {
          amountMinor: Number(order.amountMinor),
          currency: order.currency,
          reference: order.number,
          paymentMethod: input.paymentMethod,
          receiptEmail: input.email,
          returnUrl: `${house.settings.PUBLIC_URL}/pay/${order.id}?returned`,
        }),
      );
    }),

  /** What became of an attempt: the first thing a page asks after a drop or a reload. */
  attempt: orderProcedure.input(attemptKey).query(({ ctx, input }) => viewAttempt(ctx, input.key)),

  /** The same, told as it happens: at once, then with every change, until there is nothing more to tell. */
  watch: orderProcedure.input(attemptKey).subscription(({ ctx, input, signal }) =>
    whenChanged<AttemptView>({
      signal: ctx.house.signal,
      // Before there is a record, the order's first payment is what tells that there is one.
      topic: (seen) => (seen && 'operationId' in seen ? seen.operationId : topicOfOrder(ctx.order)),
      look: () => viewAttempt(ctx, input.key),
      isLast: hasEnded,
      gone: signal ?? never,
    }),
  ),

  /** Whatever changes about the order's payments, whoever makes them. It never ends by itself: refunds come years later. */
  watchOrder: orderProcedure.subscription(({ ctx, signal }) =>
    whenChanged({
      signal: ctx.house.signal,
      topic: () => topicOfOrder(ctx.order),
      look: () => viewOrderPayments(ctx.house.db, ctx.order),
      isLast: () => false,
      gone: signal ?? never,
    }),
  ),

  /** The shopper is back from their bank: what did it say? */
  returned: orderProcedure.input(attemptKey).mutation(async ({ ctx, input }) => {
    const record = await findAttempt(ctx, input.key);
    if (record?.status === 'unknown') {
      // Anybody with the order's address can ask; the provider is asked a few times, and then when it is due.
      const { allowed } = await createRateLimitStorage(ctx.house.db).consume(`returned ${record.id}`, often);
      if (allowed) await ctx.house.reconciler.reconcile(record.id, 'return');
    }
    return { known: record !== undefined };
  }),

  /** The shopper no longer wants the order. What is under way at the bank is not stopped by that, and is told so. */
  cancelOrder: orderProcedure.mutation(async ({ ctx }) => {
    const outcome = await cancelOrder(ctx.house.db, ctx.order);
    if (outcome.kind === 'cancelled') return { paymentUnderWay: outcome.paymentUnderWay };
    throw new TRPCError({
      code: 'CONFLICT',
      message: 'This order has been paid; ask the shop for a refund.',
    });
  }),
});

/** For a caller on the server, which goes away with its own request. */
const never = new AbortController().signal;

const often = { window: 60, max: 6 };

const tooMany = (retryAfterSeconds: number) =>
  ({
    kind: 'failed_retryable',
    problem: { spec: paymentProblems.too_many_attempts, retryAfterSeconds },
  }) as const;

const orderCancelled = {
  kind: 'failed_retryable',
  problem: { spec: paymentProblems.order_cancelled },
} as const;
