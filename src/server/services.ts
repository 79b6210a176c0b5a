import { createAnswerCipher, createEngine } from '#idempotency/index.ts';
import { createDueQueue, createPostgresSignal, createPrismaStore } from '#idempotency/stores/prisma.ts';
import {
  createPaymentOperation,
  createRefundOperation,
  createStripeProvider,
  type PaymentProvider,
  type StripeSettings,
  withCallLog,
} from '#payments/index.ts';
import {
  createCircuit,
  createDueWork,
  createPaymentInvestigator,
  createRateLimit,
  createReconciler,
  createRefundInvestigator,
  createStatusReads,
  createVerdicts,
  holdOf,
  inTurn,
} from '#reconciliation/index.ts';
import { enqueueExhaustedAlert } from '#jobs/exhausted-alert.ts';
import { createAuth } from './auth.ts';
import { createOperationChanges } from '#console/operations-list/operation-changes.ts';
import { createTenantPolicy } from '#console/settings/tenant-policy.ts';
import { openDatabase } from './database.ts';
import { type Env, leaseBounds, readEnv } from './env.ts';
import { createLog } from './observability/log.ts';
import { createLogObservers } from './observability/log-observers.ts';
import { createMetrics } from './observability/metrics.ts';
import { createProviderCallLog } from './observability/provider-call-log.ts';

/**
 * Stripe allows a hundred reads a second to an account in live mode; one process takes at most that. Several together may
 * ask for more, and are told so by 429, which pauses all of them.
 */
const questionsPerSecond = 100;
/** Somebody has opened a page: a provider that takes longer than this is shown as one that did not answer. */
const lookTimeoutMs = 3_000;

/** The only place where the parts are put together. */
function build(settings: Env, name: string) {
  const log = createLog(name, settings.LOG_LEVEL);
  const db = openDatabase(settings.DATABASE_URL);
  const metrics = createMetrics(db, settings, log);
  const lines = createLogObservers(log);
  const store = createPrismaStore(db);
  const signal = createPostgresSignal(settings.DATABASE_URL);
  const engine = createEngine({
    store,
    signal,
    cipher: createAnswerCipher(settings.RESPONSE_KEYS),
    leaseMs: settings.LEASE_MS,
    policy: createTenantPolicy(db, leaseBounds(settings)),
    observe: both(metrics.engine, lines.engine),
  });
  const calls = createProviderCallLog(db, log);
  const circuit = createCircuit(db, settings.provider);
  const told = both(calls.told, both(metrics.providerCall, lines.providerCall));
  const provider = withCallLog(createStripeProvider(providerSettings(settings)), (call) => {
    told(call);
    // Whoever was told, a shopper's request or the poller: the checks in the background can wait, in every process.
    if (call.retryAfterMs) {
      circuit.pause(call.retryAfterMs).catch((error: unknown) => log.warn({ err: error }, 'pause not noted'));
    }
  });
  const investigatorsWith = (asked: PaymentProvider) => [
    createPaymentInvestigator({ db, provider: asked }),
    createRefundInvestigator({ db, provider: asked }),
  ];
  const reconciling = {
    store,
    engine,
    investigators: investigatorsWith(provider),
    observe: both(metrics.reconciler, lines.reconciler),
  };
  const reconciler = createReconciler(reconciling);
  const verdicts = createVerdicts(reconciling);
  // For people who only look: with less patience, and not part of the operation's own history.
  const looking = {
    ...providerSettings(settings),
    timeoutMs: Math.min(lookTimeoutMs, settings.PROVIDER_TIMEOUT_MS),
  };
  const look = createVerdicts({
    store,
    engine,
    investigators: investigatorsWith(createStripeProvider(looking)),
  }).examine;
  // For the poller, and for people who ask about many at once: nobody waits for one of these in particular.
  const unhurried = inTurn(provider, createRateLimit(questionsPerSecond));
  const patientReconciler = createReconciler({ ...reconciling, investigators: investigatorsWith(unhurried) });
  const queue = createDueQueue(db);
  const operations = [createPaymentOperation, createRefundOperation];
  const holdMs = holdOf(settings);
  const dueWork = createDueWork({
    queue,
    engine,
    operations,
    reconciler: patientReconciler,
    circuit,
    holdMs,
    ping: () =>
      unhurried.ping().then(
        () => true,
        () => false,
      ),
    alert: async (record) => {
      if (settings.ALERT_WEBHOOK_URL) await enqueueExhaustedAlert(db, record);
    },
    observe: both(metrics.dueWork, lines.dueWork),
  });
  const seen = createStatusReads({ queue, engine, operations, holdMs, observe: reconciling.observe });
  const auth = createAuth(db, { secret: settings.AUTH_SECRET, publicUrl: settings.PUBLIC_URL }, lines.auth);
  // Opens no connection before somebody looks at a console.
  const changes = createOperationChanges(settings.DATABASE_URL, db);
  const core = { settings, log, metrics, db, store, engine, provider, calls, auth, signal };
  const saveNotes = () => Promise.all([metrics.flush(), calls.flush()]);
  const close = async () => {
    // The notes first: they are written through the connections that are closed after them.
    await saveNotes();
    await Promise.all([changes.close(), signal.close(), db.$disconnect()]);
  };
  return { ...core, reconciler, patientReconciler, verdicts, look, dueWork, seen, changes, saveNotes, close };
}

function providerSettings(settings: Env): StripeSettings {
  const timeoutMs = settings.PROVIDER_TIMEOUT_MS;
  if (settings.STRIPE_SECRET_KEY) return { secretKey: settings.STRIPE_SECRET_KEY, timeoutMs };
  if (!settings.SANDBOX_SECRET_KEY) throw new Error('The sandbox needs SANDBOX_SECRET_KEY.');
  return { secretKey: settings.SANDBOX_SECRET_KEY, baseUrl: settings.SANDBOX_URL, timeoutMs };
}

function both<Event>(one: (event: Event) => void, other: (event: Event) => void): (event: Event) => void {
  return (event) => {
    one(event);
    other(event);
  };
}

export type House = ReturnType<typeof build>;

/** One per process. Next loads a route's modules more than once, so a module variable would open several. */
const slot = Symbol.for('paidonce.house');
const shared = globalThis as { [slot]?: House };

export function house(name = 'app'): House {
  const built = shared[slot] ?? build(readEnv(), name);
  // Next ends the process by itself; the last second of counting and noting is saved if there is time for it.
  if (!shared[slot]) process.once('SIGTERM', () => void built.saveNotes());
  shared[slot] = built;
  return built;
}
