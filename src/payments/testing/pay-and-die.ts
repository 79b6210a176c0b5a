import { PrismaPg } from '@prisma/adapter-pg';
import {
  createEngine,
  createResponseCipher,
  type IdempotencyStore,
  type Outcome,
} from '#idempotency/index.ts';
import { createPostgresStore } from '#idempotency/stores/postgres.ts';
import { createPrismaDriver } from '#idempotency/stores/prisma.ts';
import { type CrashPoint, createCrashStore, killProcess } from '#idempotency/testing/crash-store.ts';
import { runOperation } from '#payments/operations/run-operation.ts';
import { type Prisma, PrismaClient } from '#prisma';
import type { CreatePayment } from '../operations/create-payment/command.ts';
import { createPaymentKind } from '../operations/create-payment/kind.ts';
import type { CreateRefund } from '../operations/create-refund/create-refund.ts';
import { createRefundKind } from '../operations/create-refund/kind.ts';
import type { PaymentProvider } from '../provider.ts';
import { createStripeProvider } from '../stripe/provider.ts';
import { returnUrl } from './raw-provider.ts';

type Tx = Prisma.TransactionClient;

/** Settings of a process that takes payments; plain data, because they are sent to another process. */
export interface PayerSettings {
  readonly databaseUrl: string;
  readonly sandboxUrl: string;
  readonly secretKey: string;
  readonly responseKey: string;
  readonly tenantId: string;
}

/** One payment or refund, and where the process that makes it dies. */
export type Doomed = {
  readonly settings: PayerSettings;
  readonly key: string;
  readonly dies: CrashPoint | 'when the provider has responded';
} & ({ readonly payment: CreatePayment } | { readonly refund: CreateRefund });

/** The parts of a process that takes payments, all of them real. */
export function createPayer(
  settings: PayerSettings,
  wrap: (store: IdempotencyStore<Tx>) => IdempotencyStore<Tx> = (store) => store,
) {
  const db = new PrismaClient({ adapter: new PrismaPg({ connectionString: settings.databaseUrl, max: 5 }) });
  const store = wrap(createPostgresStore(createPrismaDriver(db)));
  const cipher = createResponseCipher([{ id: 'test', key: Buffer.from(settings.responseKey, 'hex') }]);
  const engine = createEngine({ store, cipher, leaseMs: 60_000 });
  const { secretKey, sandboxUrl: baseUrl, tenantId } = settings;
  const provider = createStripeProvider({ secretKey, baseUrl, timeoutMs: 5_000, returnUrl });

  const callerOf = (key: string) => ({ tenantId, principal: 'tester', keyHeader: key });

  function pay(command: CreatePayment, key: string, using = provider): Promise<Outcome> {
    return runOperation({ engine, provider: using }, createPaymentKind, callerOf(key), command);
  }

  function refund(command: CreateRefund, key: string, using = provider): Promise<Outcome> {
    return runOperation({ engine, provider: using }, createRefundKind, callerOf(key), command);
  }

  return { db, store, engine, provider, pay, refund };
}

function runAndDie({ settings, key, dies, ...doomed }: Doomed): Promise<Outcome> {
  const point = dies === 'when the provider has responded' ? undefined : dies;
  const payer = createPayer(settings, (store) => (point ? createCrashStore(store, point) : store));
  const provider = point ? payer.provider : dyingProvider(payer.provider);
  return 'payment' in doomed
    ? payer.pay(doomed.payment, key, provider)
    : payer.refund(doomed.refund, key, provider);
}

/** Kills the process when the provider has responded to what moves money. */
function dyingProvider(provider: PaymentProvider): PaymentProvider {
  return {
    ...provider,
    async confirmIntent(...args) {
      await provider.confirmIntent(...args);
      return killProcess();
    },
    async createRefund(...args) {
      await provider.createRefund(...args);
      return killProcess();
    },
  };
}

// Started by a test as a process of its own. If it survives, the test sees it by the exit code.
if (process.argv[1] === import.meta.filename) {
  process.once('message', (doomed: Doomed) => {
    runAndDie(doomed).finally(() => process.exit(1));
  });
}
