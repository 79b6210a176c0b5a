import type { Work } from '../http/response.ts';
import type { Pool } from '../store/database.ts';
import { finishProcessing } from './charge-intent.ts';
import type { IntentRow } from './intent.ts';

/** Finishes every payment whose processing time is over, one commit each, and returns when the next is due. */
export async function finishDue(
  pool: Pool,
  nowMs: number,
  commitWork: (run: (work: Work) => Promise<unknown>) => Promise<unknown>,
): Promise<number | null> {
  for (;;) {
    const nextMs = await nextFinishMs(pool);
    if (nextMs === null || nextMs > nowMs) return nextMs;
    await commitWork((work) => finishNext(work, nowMs));
  }
}

async function nextFinishMs(pool: Pool): Promise<number | null> {
  const { rows } = await pool.query<{ next: number | null }>(
    'SELECT min(finishes_at_ms) AS next FROM payment_intents WHERE finishes_at_ms IS NOT NULL',
  );
  return rows[0]?.next ?? null;
}

async function finishNext(work: Work, nowMs: number): Promise<void> {
  const { rows } = await work.db.query<IntentRow>(
    'SELECT * FROM payment_intents WHERE finishes_at_ms <= $1 ORDER BY finishes_at_ms LIMIT 1',
    [nowMs],
  );
  const [intent] = rows;
  if (intent) await finishProcessing(work, intent);
}
