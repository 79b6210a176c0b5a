import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { fromVerdict, idempotent } from '#idempotency/adapters/trpc.ts';
import { operationTopic } from '#idempotency/index.ts';
import { createPaymentKind, type PaymentResponse, paymentProblems } from '#payments/index.ts';
import { isCurrency } from '#payments/money.ts';
import { whenChanged } from '#server/live/when-changed.ts';
import { createRateLimitStorage } from '#server/rate-limit.ts';
import { cancelOrder } from '#shop/cancel-order.ts';
import { topicOfOrder, viewOrderPayments } from '#shop/order-payments.ts';
import { secondsUntilNextAttempt } from '#shop/payment-limit.ts';
import { type AttemptView, findAttempt, hasEnded, viewAttempt } from '#shop/payment-status.ts';
import { publicProcedure, router } from '../init.ts';

/** The operation by which an order is paid. */
export const pay = createPaymentKind.definition;

const attemptKey = z.object({ key: z.string().max(255) });

/**
 * The order is what authorises: the principal of a shopper's key is the order it pays, so the link in the e-mail can go
 * on from another device, and nobody without the link can learn anything through a key.
 */
export const orderProcedure = publicProcedure
  .input(z.object({ orderId: z.uuid() }))
  .use(async ({ ctx, input, next }) => {
    const order = await ctx.services.db.order.findUnique({ where: { id: input.orderId } });
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
    .use(idempotent(pay))
    .mutation(async ({ ctx, input }) => {
      const { order, execution, services } = ctx;
      if (order.cancelledAt) return fromVerdict<PaymentResponse, never>(Promise.resolve(orderCancelled));
      const retryAfterSeconds = await secondsUntilNextAttempt(services.db, order);
      if (retryAfterSeconds)
        return fromVerdict<PaymentResponse, never>(Promise.resolve(tooMany(retryAfterSeconds)));
      if (!isCurrency(order.currency)) throw new Error(`Unknown currency ${order.currency}`);
      return fromVerdict<PaymentResponse, never>(
        createPaymentKind.handle(services.provider, execution, {
          amountMinor: Number(order.amountMinor),
          currency: order.currency,
          reference: order.number,
          paymentMethod: input.paymentMethod,
          receiptEmail: input.email,
          returnUrl: `${services.settings.PUBLIC_URL}/pay/${order.id}?returned`,
        }),
      );
    }),

  /** The status of an attempt: the first thing a page asks after a drop or a reload. */
  attempt: orderProcedure.input(attemptKey).query(({ ctx, input }) => viewAttempt(ctx, pay, input.key)),

  /** The same as a stream: at once, then with every change, until the attempt has ended. */
  watch: orderProcedure.input(attemptKey).subscription(({ ctx, input, signal }) =>
    whenChanged<AttemptView>({
      signal: ctx.services.signal,
      // Before there is a record, the order's first payment signals that there is one.
      topic: (view) =>
        view && 'operationId' in view
          ? operationTopic({ tenantId: ctx.order.tenantId, id: view.operationId })
          : topicOfOrder(ctx.order),
      read: () => viewAttempt(ctx, pay, input.key),
      isLast: hasEnded,
      aborted: signal ?? never,
    }),
  ),

  /** Every change of the order's payments. It never ends by itself: refunds come years later. */
  watchOrder: orderProcedure.subscription(({ ctx, signal }) =>
    whenChanged({
      signal: ctx.services.signal,
      topic: () => topicOfOrder(ctx.order),
      read: () => viewOrderPayments(ctx.services.db, ctx.order),
      isLast: () => false,
      aborted: signal ?? never,
    }),
  ),

  /** The shopper is back from their bank: the provider is asked for the result. */
  returned: orderProcedure.input(attemptKey).mutation(async ({ ctx, input }) => {
    const record = await findAttempt(ctx, pay, input.key);
    if (record?.status === 'unknown') {
      // The order's address is all that a caller needs, so the provider is asked a few times, and then on schedule.
      const { allowed } = await createRateLimitStorage(ctx.services.db).consume(
        `returned ${record.id}`,
        returnLimit,
      );
      if (allowed) await ctx.services.reconciler.reconcile(record, 'return');
    }
    return { known: record !== undefined };
  }),

  /** The shopper no longer wants the order. A payment in progress is not stopped by that, and the response says so. */
  cancelOrder: orderProcedure.mutation(async ({ ctx }) => {
    const outcome = await cancelOrder(ctx.services.db, ctx.order);
    if (outcome.kind === 'cancelled') return { paymentUnderWay: outcome.paymentUnderWay };
    throw new TRPCError({
      code: 'CONFLICT',
      message: 'This order has been paid; ask the shop for a refund.',
    });
  }),
});

/** For a caller on the server, which goes away with its own request. */
const never = new AbortController().signal;

const returnLimit = { window: 60, max: 6 };

const tooMany = (retryAfterSeconds: number) =>
  ({
    kind: 'failed_retryable',
    problem: { spec: paymentProblems.too_many_attempts, retryAfterSeconds },
  }) as const;

const orderCancelled = {
  kind: 'failed_retryable',
  problem: { spec: paymentProblems.order_cancelled },
} as const;
