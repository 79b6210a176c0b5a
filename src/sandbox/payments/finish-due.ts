import type { Work } from '../http/response.ts';
import { inTransaction, type Pool } from '../store/database.ts';
import { settle } from './charge-intent.ts';
import type { IntentRow } from './intent.ts';

/** Settles every payment whose bank has taken long enough, one transaction each, and says when the next is due. */
export async function settleDue(
  pool: Pool,
  nowMs: number,
  apiVersion: string,
): Promise<{ settled: number; nextMs: number | null }> {
  let settled = 0;
  let nextMs = await nextSettlement(pool);
  while (nextMs !== null && nextMs <= nowMs && (await settleOne(pool, nowMs, apiVersion))) {
    settled += 1;
    nextMs = await nextSettlement(pool);
  }
  return { settled, nextMs };
}

async function nextSettlement(pool: Pool): Promise<number | null> {
  const { rows } = await pool.query<{ next: number | null }>(
    "SELECT min(settles_at_ms) AS next FROM payment_intents WHERE status = 'processing'",
  );
  return rows[0]?.next ?? null;
}

function settleOne(pool: Pool, nowMs: number, apiVersion: string): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<IntentRow>(
      `SELECT * FROM payment_intents WHERE status = 'processing' AND settles_at_ms <= $1
       ORDER BY settles_at_ms LIMIT 1 FOR UPDATE SKIP LOCKED`,
      [nowMs],
    );
    const [intent] = rows;
    if (!intent) return false;
    const work: Work = { tx, requestId: null, idempotencyKey: null, apiVersion, nowMs, events: [] };
    await settle(work, intent);
    return true;
  });
}
