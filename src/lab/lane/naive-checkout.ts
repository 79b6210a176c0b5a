import type pg from 'pg';
import { z } from 'zod';
import type { CutPoint } from '#faults/index.ts';
import type { UntimedEvent } from './messages.ts';

/** The creation of an intent always gets a response; this is for a machine that is busy with other things. */
const createTimeoutMs = 8_000;

/**
 * A checkout as many are written: every request is a payment. It creates an intent, confirms it, stores that the order is
 * paid, and responds. It has no key, takes a time-out for a failure and asks the shopper to try again. It exists only in
 * the lab. Its intents lack Paidonce's metadata, so that neither the books nor the metrics count them.
 */
export function createNaiveCheckout(parts: {
  readonly pool: pg.Pool;
  readonly provider: { readonly url: string; readonly secretKey: string };
  /** How long a charge is waited for. */
  readonly confirmTimeoutMs: () => number;
  readonly reached: (point: CutPoint) => Promise<void>;
  readonly report: (event: UntimedEvent) => Promise<void>;
}) {
  const { pool, provider, reached, report } = parts;

  return async function pay(body: unknown): Promise<{ status: number; body: object }> {
    const command = naiveCommand.parse(body);
    await reached('after_claim');
    try {
      const intent = await call('payment_intents', {
        amount: String(command.amountMinor),
        currency: command.currency,
        payment_method: command.paymentMethod,
        'metadata[reference]': command.reference,
        'metadata[lane]': 'naive',
      });
      await reached('after_intent');
      await reached('after_confirm_sent');
      const confirmed = await call(`payment_intents/${intent.id}/confirm`, {
        return_url: 'https://shop.example/',
      });
      await reached('after_charge');
      await save(command);
      return { status: 201, body: { status: confirmed.status } };
    } catch (error) {
      if (error instanceof Declined) return { status: 402, body: { error: 'Your card was declined.' } };
      return { status: 500, body: { error: 'Something went wrong. Please try again.' } };
    }
  };

  async function call(path: string, form: Record<string, string>): Promise<z.output<typeof intentShape>> {
    const name = path.split('/')[2] === 'confirm' ? 'confirmIntent' : 'createIntent';
    const responded = (result: string, lost = false) =>
      report({ what: 'provider_responded', call: name, result, lost });
    try {
      const response = await fetch(`${provider.url}/v1/${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${provider.secretKey}` },
        body: new URLSearchParams(form),
        signal: AbortSignal.timeout(name === 'confirmIntent' ? parts.confirmTimeoutMs() : createTimeoutMs),
      });
      const json = await response.json();
      await responded(response.ok ? intentShape.parse(json).status : String(response.status));
      if (response.status === 402) throw new Declined();
      if (!response.ok) throw new Error(`The provider responded with ${response.status}.`);
      return intentShape.parse(json);
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError') await responded('timeout', true);
      else if (error instanceof TypeError) await responded('connection_lost', true);
      throw error;
    }
  }

  async function save({ reference, amountMinor }: z.output<typeof naiveCommand>): Promise<void> {
    const client = await pool.connect();
    let failed = true;
    // A connection that breaks while it is used is reported by the query; without a listener Node would end the process.
    client.on('error', ignore);
    try {
      await client.query('BEGIN');
      await client.query('INSERT INTO lab.naive_payment (reference, amount_minor) VALUES ($1, $2)', [
        reference,
        amountMinor,
      ]);
      await reached('before_commit');
      await client.query('COMMIT');
      failed = false;
    } finally {
      client.off('error', ignore);
      client.release(failed);
    }
    await report({ what: 'saved' });
  }
}

/** A schema of its own, made where the lab runs and nowhere else. */
export async function createNaiveTable(pool: pg.Pool): Promise<void> {
  await pool.query(`
    SELECT pg_advisory_xact_lock(hashtextextended('lab.naive_payment', 0));
    CREATE SCHEMA IF NOT EXISTS lab;
    CREATE TABLE IF NOT EXISTS lab.naive_payment (
      reference text NOT NULL, amount_minor bigint NOT NULL, paid_at timestamptz NOT NULL DEFAULT now())`);
}

function ignore(): void {}

class Declined extends Error {}

const intentShape = z.object({ id: z.string(), status: z.string() });

const naiveCommand = z.object({
  amountMinor: z.int().positive(),
  currency: z.string(),
  paymentMethod: z.string(),
  reference: z.string(),
});
