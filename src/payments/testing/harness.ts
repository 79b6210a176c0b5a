import { randomBytes, randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { createEngine, createResponseCipher, type OperationRef, type Outcome } from '#idempotency/index.ts';
import { createPrismaStore } from '#idempotency/stores/prisma.ts';
import { PrismaClient } from '#prisma';
import { createTestDatabase } from '#run/testing/database.ts';
import { startSandbox } from '#run/testing/sandbox.ts';
import type { CreatePayment } from '../operations/create-payment/create-payment.ts';
import { createPaymentKind } from '../operations/create-payment/kind.ts';
import { createStripeProvider } from '../stripe/provider.ts';
import { assertLedgersAgree } from './ledgers-agree.ts';

/** Everything a payment needs, all of it real: PostgreSQL, the engine, and the sandbox in a process of its own. */
export async function openPaymentHarness(options: { providerTimeoutMs?: number; leaseMs?: number } = {}) {
  const [database, sandbox] = await Promise.all([createTestDatabase({ template: 'app' }), startSandbox()]);
  const db = new PrismaClient({ adapter: new PrismaPg({ connectionString: database.url, max: 10 }) });
  const store = createPrismaStore(db);
  const cipher = createResponseCipher([{ id: 'test', key: randomBytes(32) }]);
  const engine = createEngine({ store, cipher, leaseMs: options.leaseMs ?? 10_000 });
  const reached = { secretKey: sandbox.secretKey, baseUrl: sandbox.url };
  const { confirmIntent } = createStripeProvider({
    ...reached,
    timeoutMs: options.providerTimeoutMs ?? 1_000,
  });
  // Time-outs are tested on the confirm only. Other calls get more time, because the machine may be busy.
  const provider = { ...createStripeProvider({ ...reached, timeoutMs: 10_000 }), confirmIntent };
  const tenant = await db.organization.create({ data: { id: randomUUID(), name: 'Acme', slug: 'acme' } });

  function pay(command: CreatePayment, key: string, using = provider): Promise<Outcome> {
    const request = { tenantId: tenant.id, principal: 'tester', keyHeader: key, input: command };
    return engine.run(createPaymentKind.definition, request, (execution) =>
      createPaymentKind.handle(using, execution, command),
    );
  }

  async function close(): Promise<void> {
    try {
      await assertLedgersAgree(db, sandbox.url, tenant.id);
    } finally {
      await db.$disconnect();
      await Promise.all([database.drop(), sandbox.stop()]);
    }
  }

  /** Names an operation of the harness's tenant. */
  const refOf = (operationId: string): OperationRef => ({ tenantId: tenant.id, id: operationId });

  const databaseUrl = database.url;
  return { databaseUrl, db, store, engine, provider, sandbox, tenantId: tenant.id, refOf, pay, close };
}

export type PaymentHarness = Awaited<ReturnType<typeof openPaymentHarness>>;

export function command(over: Partial<CreatePayment> = {}): CreatePayment {
  return {
    amountMinor: 1200,
    currency: 'usd',
    paymentMethod: 'pm_card_visa',
    reference: `invoice-${randomUUID()}`,
    ...over,
  };
}

export function newKey(): string {
  return randomUUID();
}

/** The body of a completed operation; any other outcome fails the test. */
export function bodyOf(outcome: Outcome): { status: string; [field: string]: unknown } {
  if (outcome.kind !== 'completed') throw new Error(`Expected completed, got ${JSON.stringify(outcome)}`);
  return JSON.parse(outcome.response.body);
}
