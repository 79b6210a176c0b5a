import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { checkKey, type OperationRecord } from '#idempotency/index.ts';
import { answer, idempotent } from '#idempotency/trpc.ts';
import {
  createPayment,
  createPaymentOperation,
  findNextAction,
  type PaymentAnswer,
  paymentProblems,
} from '#payments/index.ts';
import { isCurrency } from '#payments/money.ts';
import { cancelOrder } from '../../shop/cancel-order.ts';
import type { House } from '../../wiring.ts';
import { publicProcedure, router } from '../init.ts';

const attemptKey = z.object({ key: z.string().max(255) });

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
      if (order.cancelledAt) return answer<PaymentAnswer, never>(Promise.resolve(orderCancelled));
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
  attempt: orderProcedure.input(attemptKey).query(async ({ ctx, input }) => {
    const record = await findAttempt(ctx, input.key);
    if (!record) return { status: 'none' as const };
    const { engine, db } = ctx.house;
    const stored = record.status === 'completed' ? engine.open(createPaymentOperation, record) : undefined;
    return {
      status: record.status,
      operationId: record.id,
      answer: stored ? (JSON.parse(stored.body) as PaymentAnswer) : null,
      actionUrl: record.status === 'unknown' ? ((await findNextAction(db, record.id)) ?? null) : null,
    };
  }),

  /** The shopper is back from their bank: what did it say? */
  returned: orderProcedure.input(attemptKey).mutation(async ({ ctx, input }) => {
    const record = await findAttempt(ctx, input.key);
    if (record) await ctx.house.reconciler.reconcile(record.id, 'return');
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

/** Another principal's key, and one that was never used, are told apart by nobody. */
async function findAttempt(
  ctx: { house: House; scope: { tenantId: string; principal: string } },
  key: string,
): Promise<OperationRecord | undefined> {
  if (checkKey(key).kind !== 'key') return undefined;
  const scope = { tenantId: ctx.scope.tenantId, operation: createPaymentOperation.name, key };
  const record = await ctx.house.store.find(scope);
  return record?.principal === ctx.scope.principal ? record : undefined;
}

const orderCancelled = {
  kind: 'failed_retryable',
  problem: { spec: paymentProblems.order_cancelled },
} as const;
