import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { fromVerdict, idempotent, ProblemError } from '#idempotency/adapters/trpc.ts';
import { type OperationRecord, operationTopic, readKeyHeader } from '#idempotency/index.ts';
import {
  type CreatePayment,
  createPayment,
  findNextAction,
  paymentProblems,
  payOrderKind,
} from '#payments/index.ts';
import { isCurrency } from '#payments/money.ts';
import type { Order } from '#prisma';
import { limitedNetworkOf } from '#server/incoming/client-address.ts';
import { whenChanged } from '#server/live/when-changed.ts';
import { createRateLimitStorage } from '#server/rate-limit.ts';
import { cancelOrder, isCancelled } from '#shop/cancel-order.ts';
import { topicOfOrder, viewOrderPayments } from '#shop/order-payments.ts';
import { ownPayments } from '#shop/own-payments.ts';
import { secondsUntilNextPayment } from '#shop/payment-limit.ts';
import {
  findRecordByKey,
  hasEnded,
  type PaymentStatusView,
  viewPaymentStatus,
} from '#shop/payment-status.ts';
import type { Context } from '../context.ts';
import { createFailedPayments, type FailedPayments } from '../failed-payments.ts';
import { publicProcedure, router } from '../init.ts';

/** The operation by which an order is paid. */
export const payDefinition = payOrderKind.definition;

const keyInput = z.object({ key: z.string().max(255) });

/**
 * The order's id authorises. The principal of a shopper's key is the order that it pays, so a shopper can continue on
 * another device with the link in the e-mail, and a key reveals nothing to callers without the link.
 */
export const orderProcedure = publicProcedure
  .input(z.object({ orderId: z.uuid() }))
  .use(async ({ ctx, input, next }) => next({ ctx: await findOrderOf(ctx, input) }));

/** Anyone can place an order and read it without end, so reads wait for their turn. What a payer does never waits. */
const orderReadProcedure = publicProcedure
  .input(z.object({ orderId: z.uuid() }))
  .use(({ ctx, next }) => inTurn(ctx, next))
  .use(async ({ ctx, input, next }) => next({ ctx: await findOrderOf(ctx, input) }));

async function findOrderOf(ctx: Context, { orderId }: { readonly orderId: string }) {
  const order = await ctx.services.db.order.findUnique({ where: { id: orderId } });
  if (!order) throw new TRPCError({ code: 'NOT_FOUND', message: 'There is no such order.' });
  return { order, caller: { tenantId: order.tenantId, principal: `order:${order.id}` } };
}

function inTurn<T>(ctx: Context, read: () => Promise<T>): Promise<T> {
  return ctx.services.orderReads.run(limitedNetworkOf(ctx.clientAddress), read);
}

export const paymentsRouter = router({
  pay: orderProcedure
    .input(
      z.object({
        paymentMethod: z.string().regex(/^pm_\w{1,120}$/, 'Please choose a card.'),
        email: z.email('Please enter an e-mail address for the receipt.').max(254),
      }),
    )
    .use(async ({ ctx, next }) => {
      const counted = await refuseUnpayable(ctx);
      const result = await next();
      // The order may be paid: that the limit could not be written is no reason to say that something failed.
      await Promise.all(counted.map((one) => one.ended(result))).catch((error: unknown) => {
        ctx.services.log.warn({ err: error }, 'a payment still counts against the limit of failed ones');
      });
      return result;
    })
    .use(({ ctx, input, next }) => {
      const command = commandOf(ctx, input);
      const idempotency = { ...ctx.idempotency, atClaim: payOrderKind.atClaim?.(command) };
      return next({ ctx: { command, idempotency } });
    })
    .use(idempotent(payDefinition))
    .mutation(({ ctx: { services, order, command, once } }) => {
      const findRefusal = async () =>
        (await isCancelled(services.db, order)) ? { spec: paymentProblems.order_cancelled } : undefined;
      return once((execution) =>
        fromVerdict(createPayment(services.provider, execution, command, findRefusal)),
      );
    }),

  /** The status of the payment under a key: a page reads it first after a drop or a reload. */
  status: orderReadProcedure
    .input(keyInput)
    .query(({ ctx, input }) => viewPaymentStatus(ctx, payDefinition, input.key)),

  /** The same as a stream: at once, then with every change, until the payment has ended. */
  watch: orderReadProcedure.input(keyInput).subscription(({ ctx, input, signal }) =>
    whenChanged<PaymentStatusView>({
      signal: ctx.services.signal,
      // Before there is a record, the claim of its payment signals that there is one.
      topic: (view) =>
        view && 'operationId' in view
          ? operationTopic({ tenantId: ctx.order.tenantId, id: view.operationId })
          : topicOfOrder(ctx.order),
      read: () => shared(ctx, `status ${input.key}`, () => viewPaymentStatus(ctx, payDefinition, input.key)),
      isLast: hasEnded,
      aborted: signal ?? never,
    }),
  ),

  /** The order's payments. */
  ofOrder: orderReadProcedure.query(({ ctx }) => viewOrderPayments(ctx.services.db, ctx.order)),

  /** The same as a stream: at once, then with every change. It never ends by itself: refunds come years later. */
  watchOrder: orderReadProcedure.subscription(({ ctx, signal }) =>
    whenChanged({
      signal: ctx.services.signal,
      topic: () => topicOfOrder(ctx.order),
      read: () => shared(ctx, 'payments', () => viewOrderPayments(ctx.services.db, ctx.order)),
      isLast: () => false,
      aborted: signal ?? never,
    }),
  ),

  /** The shopper is back from their bank: the provider is asked for the result. */
  returned: orderProcedure.input(keyInput).mutation(async ({ ctx, input }) => {
    const record = await findRecordByKey(ctx, payDefinition, input.key);
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

  /**
   * The shopper does not confirm the payment at their bank, and wants to use another card. The provider cancels what waits
   * for them; if the bank was faster, the payment ends as the bank says.
   */
  cancelPayment: orderProcedure.input(keyInput).mutation(async ({ ctx, input }) => {
    const record = await findRecordByKey(ctx, payDefinition, input.key);
    return { cancelled: await cancelWaiting(ctx, record) };
  }),

  /**
   * The shopper no longer wants the order. A payment that waits for them at their bank is cancelled with it; what the bank is
   * processing is not stopped, and the response says so.
   */
  cancelOrder: orderProcedure.mutation(async ({ ctx }) => {
    const outcome = await cancelOrder(ctx.services.db, ctx.order);
    if (outcome.kind === 'cancelled') {
      const stopped = outcome.paymentUnderWay && (await cancelWaiting(ctx, await findPendingRecord(ctx)));
      return { paymentUnderWay: outcome.paymentUnderWay && !stopped };
    }
    throw new TRPCError({
      code: 'CONFLICT',
      message: 'This order has been paid; ask the shop for a refund.',
    });
  }),
});

/** All streams of an order are woken by the same change, and read the same. */
function shared<T>(ctx: OrderContext, what: string, read: () => Promise<T>): Promise<T> {
  return ctx.services.sharedReads.read(`${ctx.order.id} ${what}`, () => inTurn(ctx, read));
}

type OrderContext = Context & {
  readonly order: Order;
  readonly caller: { readonly tenantId: string; readonly principal: string };
};

/** The operation of the order's pending payment, if a shopper began it, on whichever device. */
async function findPendingRecord({ services, order, caller }: OrderContext) {
  const { tenantId } = order;
  const payment = await services.db.payment.findFirst({
    where: { ...ownPayments(order), status: 'pending' },
    select: { operationId: true },
  });
  const record = payment && (await services.store.findById({ tenantId, id: payment.operationId }));
  return record?.principal === caller.principal ? record : undefined;
}

/** Has the provider cancel a payment that waits for the shopper at their bank. False: it does not, or the bank was faster. */
async function cancelWaiting(
  { services }: OrderContext,
  record: OperationRecord | undefined,
): Promise<boolean> {
  if (record?.status !== 'unknown') return false;
  if ((await findNextAction(services.db, record)) === undefined) return false;
  const { allowed } = await createRateLimitStorage(services.db).consume(`cancel ${record.id}`, returnLimit);
  if (!allowed) return false;
  const result = await services.reconciler.reconcile(record, 'shopper', { cancelWaiting: true });
  return result.kind === 'released';
}

/**
 * Comes before the claim, so that a refused request leaves no record. A key that is being executed, or has a result, is
 * not refused: its caller gets what the record says, also when the order was cancelled meanwhile.
 */
async function refuseUnpayable(ctx: OrderContext): Promise<readonly FailedPayments[]> {
  const { services, order, idempotency } = ctx;
  const header = readKeyHeader(idempotency.key);
  const record = header.kind === 'key' ? await findRecordByKey(ctx, payDefinition, header.key) : undefined;
  if (record && record.status !== 'failed_retryable') return [];
  if (order.cancelledAt) throw new ProblemError({ spec: paymentProblems.order_cancelled });
  const ofOrder = await secondsUntilNextPayment(services.db, order);
  if (ofOrder !== undefined) throw tooMany(ofOrder);
  const { tenantId } = order;
  // The order's limit comes first: what it refuses does not count against others in the same network.
  const limited = [
    // A retry of a key makes no further payment of the order, but it asks the provider about a card again.
    ...(record ? [`again ${order.id}`] : []),
    // In the demo people fail payments on purpose.
    ...(services.settings.demo ? [] : [limitedNetworkOf(ctx.clientAddress)]),
  ].map((of) => createFailedPayments(services.db, { tenantId, of }));
  for (const payments of limited) {
    const retryAfter = await payments.count();
    if (retryAfter !== null) throw tooMany(retryAfter);
  }
  return limited;

  function tooMany(retryAfterSeconds: number): ProblemError {
    idempotency.responseHeaders.set('Retry-After', String(retryAfterSeconds));
    return new ProblemError({ spec: paymentProblems.too_many_payments, retryAfterSeconds });
  }
}

function commandOf(
  { services, order }: OrderContext,
  input: { readonly paymentMethod: string; readonly email: string },
): CreatePayment {
  if (!isCurrency(order.currency)) throw new Error(`Unknown currency ${order.currency}`);
  return {
    amountMinor: Number(order.amountMinor),
    currency: order.currency,
    reference: order.number,
    paymentMethod: input.paymentMethod,
    receiptEmail: input.email,
    returnUrl: `${services.settings.PUBLIC_URL}/pay/${order.id}?returned`,
  };
}

/** For a caller on the server, which goes away with its own request. */
const never = new AbortController().signal;

const returnLimit = { window: 60, max: 6 };
