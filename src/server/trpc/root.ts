import { createCallerFactory, router } from './init.ts';
import { accountRouter } from './routers/account.ts';
import { apiKeysRouter } from './routers/api-keys.ts';
import { auditRouter } from './routers/audit.ts';
import { checksRouter } from './routers/checks.ts';
import { demoRouter } from './routers/demo.ts';
import { exceptionsRouter } from './routers/exceptions.ts';
import { inboxRouter } from './routers/inbox.ts';
import { labRouter } from './routers/lab.ts';
import { operationRouter } from './routers/operation.ts';
import { operationsRouter } from './routers/operations.ts';
import { outboxRouter } from './routers/outbox.ts';
import { overviewRouter } from './routers/overview.ts';
import { paymentRouter } from './routers/payment.ts';
import { paymentsRouter } from './routers/payments.ts';
import { peopleRouter } from './routers/people.ts';
import { proposalsRouter } from './routers/proposals.ts';
import { refundsRouter } from './routers/refunds.ts';
import { settingsRouter } from './routers/settings.ts';
import { shopRouter } from './routers/shop.ts';
import { viewsRouter } from './routers/views.ts';
import { webhookEndpointsRouter } from './routers/webhook-endpoints.ts';

export const appRouter = router({
  shop: shopRouter,
  payments: paymentsRouter,
  overview: overviewRouter,
  operations: operationsRouter,
  views: viewsRouter,
  operation: operationRouter,
  payment: paymentRouter,
  refunds: refundsRouter,
  checks: checksRouter,
  exceptions: exceptionsRouter,
  inbox: inboxRouter,
  outbox: outboxRouter,
  proposals: proposalsRouter,
  audit: auditRouter,
  people: peopleRouter,
  account: accountRouter,
  apiKeys: apiKeysRouter,
  settings: settingsRouter,
  webhookEndpoints: webhookEndpointsRouter,
  lab: labRouter,
  demo: demoRouter,
});

export type AppRouter = typeof appRouter;

export const createCaller = createCallerFactory(appRouter);
