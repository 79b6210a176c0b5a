import { randomBytes, randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { createEngine, createResponseCipher, type OperationRef, type Outcome } from '#idempotency/index.ts';
import {
  createListener,
  createPostgresSignal,
  createPostgresStore,
  storePoolSettings,
} from '#idempotency/stores/postgres.ts';
import { createCombinedDriver } from '#idempotency/stores/prisma.ts';
import { runOperation } from '#payments/operations/run-operation.ts';
import { PrismaClient } from '#prisma';
import { createTestDatabase } from '#run/testing/database.ts';
import { startSandbox } from '#run/testing/sandbox.ts';
import type { CreatePayment } from '../operations/create-payment/command.ts';
import { createPaymentKind } from '../operations/create-payment/kind.ts';
import { createStripeProvider } from '../stripe/provider.ts';
import { assertLedgersAgree } from './ledgers-agree.ts';
import { returnUrl } from './raw-provider.ts';

/** Everything a payment needs, all of it real: PostgreSQL, the engine, and the sandbox in a process of its own. */
export async function openPaymentHarness(options: { providerTimeoutMs?: number; leaseMs?: number } = {}) {
  const [database, sandbox] = await Promise.all([createTestDatabase({ template: 'app' }), startSandbox()]);
  const pool = new pg.Pool({ connectionString: database.url, max: 10 });
  const storePool = new pg.Pool({ connectionString: database.url, max: 6, ...storePoolSettings });
  for (const each of [pool, storePool]) each.on('error', () => undefined);
  const db = new PrismaClient({ adapter: new PrismaPg(pool) });
  const store = createPostgresStore(createCombinedDriver(storePool, db));
  const cipher = createResponseCipher([{ id: 'test', key: randomBytes(32) }]);
  const listener = createListener(database.url);
  const signal = createPostgresSignal(listener);
  const engine = createEngine({ store, signal, cipher, leaseMs: options.leaseMs ?? 10_000 });
  const reached = { secretKey: sandbox.secretKey, baseUrl: sandbox.url, returnUrl };
  const { confirmIntent } = createStripeProvider({
    ...reached,
    timeoutMs: options.providerTimeoutMs ?? 2_000,
  });
  // Time-outs are tested on the confirm only. Other calls get more time, because the machine may be busy.
  const provider = { ...createStripeProvider({ ...reached, timeoutMs: 10_000 }), confirmIntent };
  const tenant = await db.organization.create({ data: { id: randomUUID(), name: 'Acme', slug: 'acme' } });

  function pay(command: CreatePayment, key: string, using = provider): Promise<Outcome> {
    const caller = { tenantId: tenant.id, principal: 'tester', keyHeader: key };
    return runOperation({ engine, provider: using }, createPaymentKind, caller, command);
  }

  async function close(): Promise<void> {
    try {
      await assertLedgersAgree(db, sandbox.url, tenant.id);
    } finally {
      await Promise.all([db.$disconnect(), listener.close()]);
      await Promise.all([pool.end(), storePool.end()]);
      await Promise.all([database.drop(), sandbox.stop()]);
    }
  }

  /** Names an operation of the harness's tenant. */
  const refOf = (operationId: string): OperationRef => ({ tenantId: tenant.id, id: operationId });

  /** By the provider's own ledger. */
  async function refundedAtProvider(reference: string): Promise<number> {
    const response = await fetch(`${sandbox.url}/_sandbox/refunds?reference=${reference}`);
    const { data } = (await response.json()) as { data: { amount: number; status: string }[] };
    return data.filter(({ status }) => status === 'succeeded').reduce((sum, { amount }) => sum + amount, 0);
  }

  /** How many statements wait for a lock that another transaction holds. */
  async function countWaiting(): Promise<number | undefined> {
    const [row] = await db.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return row?.count;
  }

  /** Makes the statistics of tables complete: by itself, a session that rests reports what it did after ten seconds. */
  async function reportStatistics(): Promise<void> {
    for (const each of [pool, storePool]) {
      // All are taken before the first is given back, so each is another session.
      const clients = await Promise.all(Array.from({ length: each.totalCount }, () => each.connect()));
      for (const client of clients) {
        await client.query('SELECT pg_stat_force_next_flush()');
        client.release();
      }
    }
  }

  const databaseUrl = database.url;
  return {
    databaseUrl,
    db,
    store,
    engine,
    listener,
    provider,
    sandbox,
    tenantId: tenant.id,
    refOf,
    refundedAtProvider,
    countWaiting,
    reportStatistics,
    pay,
    close,
  };
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
