import { randomUUID } from 'node:crypto';
import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { createSandboxLedger } from '#lab/index.ts';
import { findNextAction } from '#payments/index.ts';
import { money } from '#payments/money.ts';
import { silenceProvider, silentForMs } from '#server/demo/provider-silence.ts';
import { findOrder } from '#shop/find-order.ts';
import { findRecordByKey } from '#shop/payment-status.ts';
import { buyNow } from '#shop/place-order.ts';
import { router } from '../init.ts';
import { orderProcedure, payDefinition } from './payments.ts';

/** For the demo bar on the pay page. Outside the demo these procedures respond with NOT_FOUND. */
const demoProcedure = orderProcedure.use(({ ctx, next }) => {
  if (!ctx.services.settings.demo)
    throw new TRPCError({ code: 'NOT_FOUND', message: 'There is no demo here.' });
  return next();
});

export const demoRouter = router({
  /**
   * What both sides have on record: our record of the key, and the provider's charges for the order. The ledger is read
   * through the sandbox's control API, which responds also while its payment API is silent.
   */
  readings: demoProcedure.input(z.object({ key: z.string().max(255) })).query(async ({ ctx, input }) => {
    const { order } = ctx;
    const { SANDBOX_URL } = ctx.services.settings;
    const [record, charges, silentMs] = await Promise.all([
      findRecordByKey(ctx, payDefinition, input.key),
      createSandboxLedger(SANDBOX_URL).chargesFor(order.tenantId, order.number),
      silentForMs(SANDBOX_URL, order.number),
    ]);
    return {
      record: record
        ? { status: record.status, recoveryPoint: record.recoveryPoint, attempt: record.attempt }
        : null,
      charges: charges.map(({ id, status, amount, currency }) => ({
        id,
        status,
        amount: money(BigInt(amount), currency),
      })),
      silentMs,
      /** The bank asks the shopper to confirm the payment. */
      awaitsShopper:
        record?.status === 'unknown' && (await findNextAction(ctx.services.db, record)) !== undefined,
    };
  }),

  /** The silence is limited to this order, because other shoppers may be paying. */
  silence: demoProcedure
    .input(z.object({ seconds: z.int().min(1).max(60) }))
    .mutation(async ({ ctx, input }) => {
      await silenceProvider(ctx.services.settings.SANDBOX_URL, ctx.order.number, input.seconds);
      return { silentMs: input.seconds * 1000 };
    }),

  /** Places a new order with the same lines, because a paid order cannot be paid again. */
  again: demoProcedure.mutation(async ({ ctx }) => {
    const { db } = ctx.services;
    const order = await findOrder(db, ctx.order.id);
    const lines = order?.lines.map(({ slug, quantity }) => ({ slug, quantity })) ?? [];
    const placed = await buyNow(db, order?.shop.slug ?? '', { id: randomUUID(), lines });
    if (placed.kind === 'placed') return { orderId: placed.orderId };
    throw new TRPCError({ code: 'CONFLICT', message: 'These things are no longer sold.' });
  }),
});
