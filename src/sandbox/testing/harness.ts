import Stripe from 'stripe';
import { createTestDatabase, type TestDatabase } from '#run/testing/database.ts';
import { createSandbox, type Sandbox, type Settings } from '../index.ts';

export const SECRET_KEY = 'sk_test_sandbox4242424242424242';

/** For intents that are confirmed without a `return_url`. */
export const CARD_ONLY = {
  automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
} as const;

/** A sandbox on a database of its own, and the official SDK pointed at it. */
export interface Harness {
  sandbox: Sandbox;
  stripe: Stripe;
  settings: Settings;
  database: TestDatabase;
  /** The control API. */
  control<T = Record<string, unknown>>(path: string, body?: object): Promise<T>;
  close(): Promise<void>;
}

export async function openHarness(overrides: Partial<Settings> = {}): Promise<Harness> {
  const database = await createTestDatabase();
  const settings: Settings = {
    databaseUrl: database.url,
    host: '127.0.0.1',
    port: 0,
    secretKey: SECRET_KEY,
    slowResponseMs: 30_000,
    finishAfterMs: 3_000,
    logLevel: 'silent',
    ...overrides,
  };
  const sandbox = createSandbox(settings);
  await sandbox.listen();
  return {
    sandbox,
    settings,
    database,
    stripe: stripeAt(sandbox.url),
    control: (path, body) => control(sandbox.url, path, body),
    async close() {
      await sandbox.close();
      await database.drop();
    },
  };
}

/** Without retries of the SDK, as the application configures it: a test decides what is retried. */
export function stripeAt(url: string, options: { apiKey?: string; timeout?: number } = {}): Stripe {
  const { hostname, port } = new URL(url);
  return new Stripe(options.apiKey ?? SECRET_KEY, {
    protocol: 'http',
    host: hostname,
    port,
    maxNetworkRetries: 0,
    timeout: options.timeout ?? 5_000,
    telemetry: false,
  });
}

export async function control<T>(url: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${url}/_sandbox${path}`, {
    method: body ? 'POST' : 'GET',
    ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`${path} responded with ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

export interface LedgerCharge {
  id: string;
  status: string;
  amount: number;
  currency: string;
  intent: string;
  created: number;
}

/** The charges of an intent in the sandbox's ledger, which is the evidence of how often money moved. */
export async function chargesOf(harness: Harness, intent: string): Promise<LedgerCharge[]> {
  const { data } = await harness.control<{ data: LedgerCharge[] }>(`/charges?intent=${intent}`);
  return data;
}

/** The error that a call ends in. The test fails if the call succeeds. */
export async function failure(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof Stripe.errors.StripeError) return outcome;
  throw new Error('the call was expected to fail with a Stripe error', { cause: outcome });
}
