import { listPausedTenants } from '#console/checks/check-pause.ts';
import { createOperationChanges } from '#console/operations-list/operation-changes.ts';
import { createTenantPolicy } from '#console/settings/tenant-policy.ts';
import { createEngine, createResponseCipher } from '#idempotency/index.ts';
import {
  createListener,
  createPostgresCheckQueue,
  createPostgresSignal,
  createPostgresStore,
} from '#idempotency/stores/postgres.ts';
import { createCombinedDriver } from '#idempotency/stores/prisma.ts';
import { enqueueExhaustedAlert } from '#jobs/exhausted-alert.ts';
import {
  createEventFollower,
  createInvestigators,
  createStripeProvider,
  operationDefinitions as operations,
  type StripeSettings,
  withCallLog,
} from '#payments/index.ts';
import {
  checkHoldMs,
  createAssertions,
  createCircuit,
  createDueWork,
  createEventReceiver,
  createRateLimit,
  createReconciler,
  createStatusReads,
  rateLimited,
} from '#reconciliation/index.ts';
import { createDescribePurchase } from '#shop/describe-purchase.ts';
import { flagCancelledOrders } from '#shop/flag-cancelled-order.ts';
import { createPurchaseCheck } from '#shop/own-payments.ts';
import { createApiKeys } from './api-keys.ts';
import type { Auth } from './auth.ts';
import { openDatabase, openStorePool } from './database.ts';
import { databaseAddresses, type Env, leaseBounds, readEnv } from './env.ts';
import { createExportLimit } from './live/export-limit.ts';
import { createSharedReads } from './live/shared-reads.ts';
import { createReadiness } from './observability/health.ts';
import { createLog } from './observability/log.ts';
import { createLogObservers } from './observability/log-observers.ts';
import { createMetrics } from './observability/metrics.ts';
import { createProviderCallLog } from './observability/provider-call-log.ts';
import { lastCallsOver, stopping } from './stopping.ts';
import { storeWithTurns } from './store-with-turns.ts';
import { createTurns, memberReadLimits, orderReadLimits, transactionLimits, visitorLimits } from './turns.ts';

/**
 * Stripe allows a hundred reads a second to an account in live mode; one process sends at most that. Several together may
 * send more; the 429 that they then get pauses all of them.
 */
const readsPerSecond = 100;
/** A page waits for the provider at most this long, and then shows it as unresponsive. */
const examineTimeoutMs = 3_000;

/** The only place where the parts are put together. */
function build(settings: Env, name: string) {
  const log = createLog(name, settings.LOG_LEVEL);
  const { url, directUrl, pooler } = databaseAddresses(settings);
  const db = openDatabase(url, { pooler });
  const storePool = openStorePool(url, { pooler });
  const metrics = createMetrics(db, settings, log);
  const logged = createLogObservers(log);
  const driver = createCombinedDriver(storePool, db, { pooler });
  const store = storeWithTurns(createPostgresStore(driver), createTurns(transactionLimits));
  // One for the whole process. It opens no connection before the first use.
  const listener = createListener(directUrl);
  const signal = createPostgresSignal(listener);
  const cipher = createResponseCipher(settings.RESPONSE_KEYS);
  const engine = createEngine({
    store,
    signal,
    cipher,
    leaseMs: settings.LEASE_MS,
    tenantPolicy: createTenantPolicy({ db, listener }, leaseBounds(settings)),
    observe: both(metrics.engine, logged.engine),
  });
  const apiKeys = createApiKeys({ db, listener });
  const visitors = createTurns(visitorLimits);
  const orderReads = createTurns(orderReadLimits);
  const memberReads = createTurns(memberReadLimits);
  const exportLimit = createExportLimit();
  const sharedReads = createSharedReads();
  const calls = createProviderCallLog(db, log);
  const circuit = createCircuit(db, settings.provider);
  const onCall = both(calls.onCall, both(metrics.providerCall, logged.providerCall));
  const ended = lastCallsOver();
  const provider = withCallLog(createStripeProvider(providerSettings(settings, ended)), (call) => {
    onCall(call);
    // Whether a shopper's request or the poller got the 429: scheduled checks pause, in every process.
    if (call.retryAfterMs) {
      circuit
        .pause(call.retryAfterMs)
        .catch((error: unknown) => log.warn({ err: error }, 'pause not stored'));
    }
  });
  const reconciling = {
    store,
    engine,
    investigators: createInvestigators({ db, provider }),
    observe: both(metrics.reconciler, logged.reconciler),
  };
  const reconciler = createReconciler(reconciling);
  const assertions = createAssertions(reconciling);
  // For the operation's page: with a shorter timeout, and not part of the operation's timeline.
  const examineSettings = {
    ...providerSettings(settings, ended),
    timeoutMs: Math.min(examineTimeoutMs, settings.PROVIDER_TIMEOUT_MS),
  };
  const { examine } = createAssertions({
    store,
    engine,
    investigators: createInvestigators({ db, provider: createStripeProvider(examineSettings) }),
  });
  // For the poller, and for operators who reconcile many at once: no request waits for one of these.
  const rateLimitedProvider = rateLimited(provider, createRateLimit(readsPerSecond));
  const rateLimitedReconciler = createReconciler({
    ...reconciling,
    investigators: createInvestigators({ db, provider: rateLimitedProvider }),
  });
  const queue = createPostgresCheckQueue(driver);
  const holdMs = checkHoldMs(settings);
  const dueWork = createDueWork({
    queue,
    engine,
    operations,
    reconciler: rateLimitedReconciler,
    circuit,
    holdMs,
    pausedTenants: () => listPausedTenants(db),
    ping: () =>
      rateLimitedProvider.ping().then(
        () => true,
        () => false,
      ),
    alert: async (record) => {
      if (settings.ALERT_WEBHOOK_URL) await enqueueExhaustedAlert(db, record);
    },
    observe: both(metrics.dueWork, logged.dueWork),
  });
  const onStatusRead = createStatusReads({ queue, engine, operations, holdMs, observe: reconciling.observe });
  const authSettings = { secret: settings.AUTH_SECRET, publicUrl: settings.PUBLIC_URL };
  let opened: Promise<Auth> | undefined;
  // Loaded when the first person is asked for: better-auth is half of all code, and the API and the worker do not use it.
  function auth(): Promise<Auth> {
    opened ??= import('./auth.ts').then(({ createAuth }) => createAuth(db, authSettings, logged.auth));
    return opened;
  }
  const changes = createOperationChanges(listener);
  const readiness = createReadiness({ db, provider });
  const core = {
    settings,
    log,
    metrics,
    db,
    store,
    engine,
    cipher,
    provider,
    calls,
    apiKeys,
    visitors,
    orderReads,
    memberReads,
    exportLimit,
    sharedReads,
    auth,
    signal,
    listener,
    readiness,
  };
  const flush = () => Promise.all([metrics.flush(), calls.flush(), apiKeys.flush()]);
  const close = async () => {
    // First the counts and calls, because they are written through the connections that are closed next.
    await flush();
    await Promise.all([listener.close(), storePool.end(), db.$disconnect()]);
  };
  // What the outbox needs of the shop.
  const shopPorts = {
    consumers: { cancelled_order: flagCancelledOrders },
    describePurchase: createDescribePurchase(settings.PUBLIC_URL),
  };
  const checkPurchase = createPurchaseCheck(db);
  const follower = createEventFollower({ db, provider });
  const receiveEvent = createEventReceiver(driver);
  const checks = { reconciler, rateLimitedReconciler, assertions, examine };
  const reconciliation = { ...checks, follower, receiveEvent, dueWork, onStatusRead };
  return { ...core, ...reconciliation, shopPorts, checkPurchase, changes, flush, close };
}

function providerSettings(settings: Env, ended: AbortSignal): StripeSettings {
  const common = {
    ended,
    timeoutMs: settings.PROVIDER_TIMEOUT_MS,
    returnUrl: `${settings.PUBLIC_URL}/bank-return`,
  };
  if (settings.STRIPE_SECRET_KEY) return { ...common, secretKey: settings.STRIPE_SECRET_KEY };
  if (!settings.SANDBOX_SECRET_KEY) throw new Error('The sandbox needs SANDBOX_SECRET_KEY.');
  return { ...common, secretKey: settings.SANDBOX_SECRET_KEY, baseUrl: settings.SANDBOX_URL };
}

function both<Event>(one: (event: Event) => void, other: (event: Event) => void): (event: Event) => void {
  return (event) => {
    one(event);
    other(event);
  };
}

export type Services = ReturnType<typeof build>;

/** One per process. Next loads a route's modules more than once, so a module variable would open several. */
const slot = Symbol.for('paidonce.services');
const shared = globalThis as { [slot]?: Services };

export function services(name = 'app'): Services {
  const built = shared[slot] ?? build(readEnv(), name);
  // Next ends the process by itself; the last second of counts and calls is saved if there is time for it.
  if (!shared[slot]) stopping().addEventListener('abort', () => void built.flush());
  shared[slot] = built;
  return built;
}
