import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { createOrder, findOrder, findShop, listShops } from '../../shop/shop.ts';
import { publicProcedure, router } from '../init.ts';

const slug = z.string().regex(/^[a-z0-9-]{1,60}$/);

export const shopRouter = router({
  list: publicProcedure.query(({ ctx }) => listShops(ctx.house.db)),

  get: publicProcedure.input(z.object({ slug })).query(async ({ ctx, input }) => {
    const shop = await findShop(ctx.house.db, input.slug);
    if (!shop) throw new TRPCError({ code: 'NOT_FOUND', message: 'There is no such shop.' });
    return shop;
  }),

  createOrder: publicProcedure
    .input(
      z.object({
        slug,
        lines: z
          .array(z.object({ productId: z.uuid(), quantity: z.int().min(1).max(99) }))
          .min(1)
          .max(50),
      }),
    )
    .mutation(async ({ ctx, input }) => {
      const created = await createOrder(ctx.house.db, input);
      if (!created)
        throw new TRPCError({ code: 'NOT_FOUND', message: 'One of these products is not sold here.' });
      return created;
    }),

  /** The order's id is the capability: whoever holds the link may see and pay the order. */
  order: publicProcedure.input(z.object({ orderId: z.uuid() })).query(async ({ ctx, input }) => {
    const order = await findOrder(ctx.house.db, input.orderId);
    if (!order) throw new TRPCError({ code: 'NOT_FOUND', message: 'There is no such order.' });
    return order;
  }),
});
