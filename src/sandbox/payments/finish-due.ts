import { internalWork } from '../http/response.ts';
import { inTransaction, type Pool } from '../store/database.ts';
import { finishProcessing } from './charge-intent.ts';
import type { IntentRow } from './intent.ts';

/** Finishes every payment whose processing time is over, one transaction each, and returns when the next is due. */
export async function finishDue(
  pool: Pool,
  nowMs: number,
  apiVersion: string,
): Promise<{ finished: number; nextMs: number | null }> {
  let finished = 0;
  let nextMs = await nextFinishMs(pool);
  while (nextMs !== null && nextMs <= nowMs && (await finishOne(pool, nowMs, apiVersion))) {
    finished += 1;
    nextMs = await nextFinishMs(pool);
  }
  return { finished, nextMs };
}

async function nextFinishMs(pool: Pool): Promise<number | null> {
  const { rows } = await pool.query<{ next: number | null }>(
    "SELECT min(finishes_at_ms) AS next FROM payment_intents WHERE status = 'processing'",
  );
  return rows[0]?.next ?? null;
}

function finishOne(pool: Pool, nowMs: number, apiVersion: string): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<IntentRow>(
      `SELECT * FROM payment_intents WHERE status = 'processing' AND finishes_at_ms <= $1
       ORDER BY finishes_at_ms LIMIT 1 FOR UPDATE SKIP LOCKED`,
      [nowMs],
    );
    const [intent] = rows;
    if (!intent) return false;
    await finishProcessing(internalWork(tx, apiVersion, nowMs), intent);
    return true;
  });
}
