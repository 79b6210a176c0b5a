import { createCallerFactory, router } from './init.ts';
import { inboxRouter } from './routers/inbox.ts';
import { labRouter } from './routers/lab.ts';
import { lateTruthsRouter } from './routers/late-truths.ts';
import { operationRouter } from './routers/operation.ts';
import { operationsRouter } from './routers/operations.ts';
import { outboxRouter } from './routers/outbox.ts';
import { overviewRouter } from './routers/overview.ts';
import { paymentsRouter } from './routers/payments.ts';
import { peopleRouter } from './routers/people.ts';
import { shopRouter } from './routers/shop.ts';
import { viewsRouter } from './routers/views.ts';

export const appRouter = router({
  shop: shopRouter,
  payments: paymentsRouter,
  overview: overviewRouter,
  operations: operationsRouter,
  views: viewsRouter,
  operation: operationRouter,
  lateTruths: lateTruthsRouter,
  inbox: inboxRouter,
  outbox: outboxRouter,
  people: peopleRouter,
  lab: labRouter,
});

export type AppRouter = typeof appRouter;

export const createCaller = createCallerFactory(appRouter);
