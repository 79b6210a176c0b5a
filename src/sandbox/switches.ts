import { onlyRow, type Pool } from './store/database.ts';

export const OUTAGE_MODES = ['refuse', '503', 'hang'] as const;
export type OutageMode = (typeof OUTAGE_MODES)[number];

export interface SwitchState {
  outage: OutageMode | null;
  latencyMs: number;
  webhooksOn: boolean;
  clockOffsetMs: number;
}

interface SwitchRow {
  outage: OutageMode | null;
  latency_ms: number;
  webhooks_on: boolean;
  clock_offset_ms: number;
}

/**
 * What the control API can switch, the sandbox clock included. The database has the state, so an outage outlives a
 * restart; the copy in memory saves every request a query. The copy is correct because one process uses the database.
 */
export class Switches {
  readonly #pool: Pool;
  #state: SwitchState = { outage: null, latencyMs: 0, webhooksOn: true, clockOffsetMs: 0 };

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  get state(): Readonly<SwitchState> {
    return this.#state;
  }

  /** Sandbox time in epoch milliseconds: the wall clock plus the offset that the control API has added. */
  nowMs(): number {
    return Date.now() + this.#state.clockOffsetMs;
  }

  async load(): Promise<void> {
    const { rows } = await this.#pool.query<SwitchRow>('SELECT * FROM switches');
    this.#state = fromRow(onlyRow(rows));
  }

  async set(change: Partial<Omit<SwitchState, 'clockOffsetMs'>>): Promise<void> {
    const next = { ...this.#state, ...change };
    const { rows } = await this.#pool.query<SwitchRow>(
      'UPDATE switches SET outage = $1, latency_ms = $2, webhooks_on = $3 RETURNING *',
      [next.outage, next.latencyMs, next.webhooksOn],
    );
    this.#state = fromRow(onlyRow(rows));
  }

  /** The clock only goes forward: going back would revive expired keys, which Stripe never does. */
  async advanceClock(ms: number): Promise<void> {
    const { rows } = await this.#pool.query<SwitchRow>(
      'UPDATE switches SET clock_offset_ms = clock_offset_ms + $1 RETURNING *',
      [ms],
    );
    this.#state = fromRow(onlyRow(rows));
  }
}

function fromRow(row: SwitchRow): SwitchState {
  return {
    outage: row.outage,
    latencyMs: row.latency_ms,
    webhooksOn: row.webhooks_on,
    clockOffsetMs: row.clock_offset_ms,
  };
}
