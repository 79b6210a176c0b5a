import { PrismaPg } from '@prisma/adapter-pg';
import {
  createEngine,
  createResponseCipher,
  type IdempotencyStore,
  type Outcome,
} from '#idempotency/index.ts';
import { createPrismaStore } from '#idempotency/stores/prisma.ts';
import { type CrashPoint, createCrashStore, killProcess } from '#idempotency/testing/crash-store.ts';
import { type Prisma, PrismaClient } from '#prisma';
import type { CreatePayment } from '../operations/create-payment/create-payment.ts';
import { createPaymentKind } from '../operations/create-payment/kind.ts';
import type { PaymentProvider } from '../provider.ts';
import { createStripeProvider } from '../stripe/provider.ts';

type Tx = Prisma.TransactionClient;

/** Settings of a process that takes payments; plain data, because they are sent to another process. */
export interface PayerSettings {
  readonly databaseUrl: string;
  readonly sandboxUrl: string;
  readonly secretKey: string;
  readonly responseKey: string;
  readonly tenantId: string;
}

/** One payment, and where the process that makes it dies. */
export interface DoomedPayment {
  readonly settings: PayerSettings;
  readonly command: CreatePayment;
  readonly key: string;
  readonly dies: CrashPoint | 'when the provider has responded';
}

/** The parts of a process that takes payments, all of them real. */
export function createPayer(
  settings: PayerSettings,
  wrap: (store: IdempotencyStore<Tx>) => IdempotencyStore<Tx> = (store) => store,
) {
  const db = new PrismaClient({ adapter: new PrismaPg({ connectionString: settings.databaseUrl, max: 5 }) });
  const store = wrap(createPrismaStore(db));
  const cipher = createResponseCipher([{ id: 'test', key: Buffer.from(settings.responseKey, 'hex') }]);
  const engine = createEngine({ store, cipher, leaseMs: 60_000 });
  const { secretKey, sandboxUrl: baseUrl, tenantId } = settings;
  const provider = createStripeProvider({ secretKey, baseUrl, timeoutMs: 5_000 });

  function pay(command: CreatePayment, key: string, using: PaymentProvider = provider): Promise<Outcome> {
    const request = { tenantId, principal: 'tester', keyHeader: key, input: command };
    return engine.run(createPaymentKind.definition, request, (execution) =>
      createPaymentKind.handle(using, execution, command),
    );
  }
  return { db, store, engine, provider, pay };
}

function payAndDie({ settings, command, key, dies }: DoomedPayment): Promise<Outcome> {
  if (dies !== 'when the provider has responded') {
    return createPayer(settings, (store) => createCrashStore(store, dies)).pay(command, key);
  }
  const { provider, pay } = createPayer(settings);
  const confirmIntent: PaymentProvider['confirmIntent'] = async (...args) => {
    await provider.confirmIntent(...args);
    return killProcess();
  };
  return pay(command, key, { ...provider, confirmIntent });
}

// Started by a test as a process of its own. If it survives, the test sees it by the exit code.
if (process.argv[1] === import.meta.filename) {
  process.once('message', (payment: DoomedPayment) => {
    payAndDie(payment).finally(() => process.exit(1));
  });
}
