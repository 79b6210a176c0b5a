import type { Pool } from './store/database.ts';

/**
 * Silence about one reference: every request about its payments is carried out and gets no response, and its webhooks
 * are held back. Unlike an outage it affects one payment only. As with the switches, the database has the state and
 * memory a copy, so that a sandbox without silences queries nothing.
 *
 * Creating an intent still gets its response: it moves no money, and a caller that never receives the id could not
 * confirm it. Only the calls after it are meant to end with an unknown outcome.
 */
export class Silences {
  readonly #pool: Pool;
  readonly #nowMs: () => number;
  #untilMs = new Map<string, number>();

  constructor(pool: Pool, nowMs: () => number) {
    this.#pool = pool;
    this.#nowMs = nowMs;
  }

  async load(): Promise<void> {
    const { rows } = await this.#pool.query<{ reference: string; until_ms: number }>(
      'SELECT * FROM silences',
    );
    this.#untilMs = new Map(rows.map(({ reference, until_ms }) => [reference, until_ms]));
  }

  /** Zero seconds end the silence. */
  async set(reference: string, seconds: number): Promise<void> {
    const untilMs = this.#nowMs() + Math.round(seconds * 1000);
    await this.#pool.query(
      'INSERT INTO silences VALUES ($1, $2) ON CONFLICT (reference) DO UPDATE SET until_ms = excluded.until_ms',
      [reference, untilMs],
    );
    this.#untilMs.set(reference, untilMs);
  }

  remainingMs(reference: string): number {
    return Math.max(0, (this.#untilMs.get(reference) ?? 0) - this.#nowMs());
  }

  list(): Array<{ reference: string; seconds: number }> {
    return [...this.#untilMs.keys()]
      .map((reference) => ({ reference, seconds: this.remainingMs(reference) / 1000 }))
      .filter(({ seconds }) => seconds > 0);
  }

  /** The object that a request names: an intent, a charge or a refund. */
  async covers(objectId: string): Promise<boolean> {
    if (this.list().length === 0) return false;
    const { rows } = await this.#pool.query<{ reference: string | null }>(
      `SELECT metadata ->> 'reference' AS reference FROM payment_intents WHERE id IN (
         SELECT $1 UNION SELECT payment_intent FROM charges WHERE id = $1
         UNION SELECT payment_intent FROM refunds WHERE id = $1)`,
      [objectId],
    );
    return rows.some(({ reference }) => reference !== null && this.remainingMs(reference) > 0);
  }

  async prune(): Promise<void> {
    await this.#pool.query('DELETE FROM silences WHERE until_ms <= $1', [this.#nowMs()]);
    for (const reference of this.#untilMs.keys()) {
      if (this.remainingMs(reference) === 0) this.#untilMs.delete(reference);
    }
  }
}
