import { createAnswerCipher, createEngine, type EngineEvent } from '#idempotency/index.ts';
import { createDueQueue, createPostgresSignal, createPrismaStore } from '#idempotency/stores/prisma.ts';
import {
  createPaymentOperation,
  createRefundOperation,
  createStripeProvider,
  type StripeSettings,
} from '#payments/index.ts';
import {
  createCircuit,
  createDueWork,
  createPaymentInvestigator,
  createRateLimit,
  createReconciler,
  createRefundInvestigator,
} from '#reconciliation/index.ts';
import { createAuth } from './auth.ts';
import { openDatabase } from './db.ts';
import { type Env, readEnv } from './env.ts';
import { createLog, type Logger } from './log.ts';

/** Stripe allows a hundred reads a second to an account in live mode; one worker takes at most that. */
const checksPerSecond = 100;

/** The only place where the parts are put together. */
function build(settings: Env, name: string) {
  const log = createLog(name, settings.LOG_LEVEL);
  const db = openDatabase(settings.DATABASE_URL);
  const store = createPrismaStore(db);
  const signal = createPostgresSignal(settings.DATABASE_URL);
  const engine = createEngine({
    store,
    signal,
    cipher: createAnswerCipher(settings.RESPONSE_KEYS),
    leaseMs: settings.LEASE_MS,
    observe: observer(log),
  });
  const provider = createStripeProvider(providerSettings(settings));
  const investigators = [
    createPaymentInvestigator({ db, provider }),
    createRefundInvestigator({ db, provider }),
  ];
  const reconciler = createReconciler({
    store,
    engine,
    investigators,
    observe: (event) => log.info(event, 'reconciled'),
  });
  const dueWork = createDueWork({
    queue: createDueQueue(db),
    store,
    operations: [createPaymentOperation, createRefundOperation],
    reconciler,
    circuit: createCircuit(db, settings.provider),
    turn: createRateLimit(checksPerSecond),
    observe: (event) => log[event.kind === 'exhausted' ? 'error' : 'info'](event, event.kind),
  });
  const auth = createAuth(db, { secret: settings.AUTH_SECRET, publicUrl: settings.PUBLIC_URL });
  return { settings, log, db, store, engine, provider, reconciler, dueWork, auth, signal };
}

function providerSettings(settings: Env): StripeSettings {
  const timeoutMs = settings.PROVIDER_TIMEOUT_MS;
  if (settings.STRIPE_SECRET_KEY) return { secretKey: settings.STRIPE_SECRET_KEY, timeoutMs };
  if (!settings.SANDBOX_SECRET_KEY) throw new Error('The sandbox needs SANDBOX_SECRET_KEY.');
  return { secretKey: settings.SANDBOX_SECRET_KEY, baseUrl: settings.SANDBOX_URL, timeoutMs };
}

function observer(log: Logger): (event: EngineEvent) => void {
  return (event) => {
    if (event.kind === 'reserve') log.info(event, 'reserve');
    else if ('error' in event) log.error({ ...event, err: event.error, error: undefined }, event.kind);
    else log.warn(event, event.kind);
  };
}

export type House = ReturnType<typeof build>;

/** One per process. Next loads a route's modules more than once, so a module variable would open several. */
const slot = Symbol.for('paidonce.house');
const shared = globalThis as { [slot]?: House };

export function house(name = 'app'): House {
  shared[slot] ??= build(readEnv(), name);
  return shared[slot];
}
