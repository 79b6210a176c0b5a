import { createCallerFactory, router } from './init.ts';
import { adminRouter } from './routers/admin.ts';
import { labRouter } from './routers/lab.ts';
import { outboxRouter } from './routers/outbox.ts';
import { paymentsRouter } from './routers/payments.ts';
import { shopRouter } from './routers/shop.ts';

export const appRouter = router({
  shop: shopRouter,
  payments: paymentsRouter,
  admin: adminRouter,
  outbox: outboxRouter,
  lab: labRouter,
});

export type AppRouter = typeof appRouter;

export const createCaller = createCallerFactory(appRouter);
