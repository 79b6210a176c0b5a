import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { limitedNetworkOf } from '#server/incoming/client-address.ts';
import { createRateLimitStorage } from '#server/rate-limit.ts';
import { cartShape, slugShape as slug } from '#shop/cart.ts';
import { findProduct, findShop, listShops } from '#shop/catalogue.ts';
import { findCharges } from '#shop/find-charges.ts';
import { findOrder } from '#shop/find-order.ts';
import { buyNow, checkOut } from '#shop/place-order.ts';
import { viewCart } from '#shop/view-cart.ts';
import { publicProcedure, router } from '../init.ts';

const orderId = z.uuid();
const cartOfShop = z.object({ slug, cart: cartShape });

/** For what anyone may ask of the database, without a limit: payments keep connections of their own. */
const visitorProcedure = publicProcedure.use(({ ctx, next }) =>
  ctx.services.visitors.run(limitedNetworkOf(ctx.clientAddress), () => next()),
);

export const shopRouter = router({
  list: visitorProcedure.query(({ ctx }) => listShops(ctx.services.db)),

  get: visitorProcedure
    .input(z.object({ slug }))
    .query(({ ctx, input }) => orMissing(findShop(ctx.services.db, input.slug), 'shop')),

  product: visitorProcedure
    .input(z.object({ slug, product: slug }))
    .query(({ ctx, input }) => orMissing(findProduct(ctx.services.db, input.slug, input.product), 'product')),

  cart: visitorProcedure.input(cartOfShop).query(async ({ ctx, input }) => {
    const {
      tenantId: _,
      priced: __,
      ...view
    } = await orMissing(viewCart(ctx.services.db, input.slug, input.cart), 'shop');
    return view;
  }),

  checkOut: visitorProcedure
    .input(cartOfShop)
    .mutation(({ ctx, input }) => checkOut(ctx.services.db, input.slug, input.cart)),

  buyNow: visitorProcedure
    .input(cartOfShop)
    .mutation(({ ctx, input }) => buyNow(ctx.services.db, input.slug, input.cart)),

  /** The order's id is the capability: the link is enough to see and pay the order. */
  order: visitorProcedure
    .input(z.object({ orderId }))
    .query(({ ctx, input }) => orMissing(findOrder(ctx.services.db, input.orderId), 'order')),

  /** A read of one order; while the provider is asked, the turn is over. How often it is asked is limited for each order. */
  charges: publicProcedure.input(z.object({ orderId })).query(({ ctx, input }) => {
    const { services, clientAddress } = ctx;
    const rateLimit = createRateLimitStorage(services.db);
    const inTurn = <T>(read: () => Promise<T>) =>
      services.orderReads.run(limitedNetworkOf(clientAddress), read);
    return orMissing(findCharges({ ...services, rateLimit, inTurn }, input.orderId), 'order');
  }),
});

async function orMissing<T>(found: Promise<T | undefined>, what: string): Promise<T> {
  const one = await found;
  if (one === undefined) throw new TRPCError({ code: 'NOT_FOUND', message: `There is no such ${what}.` });
  return one;
}
