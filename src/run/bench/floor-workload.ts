import { createHash } from 'node:crypto';
import pg from 'pg';
import { writeRows } from './tables.ts';
import type { Command, OpenOptions, Workload } from './workload.ts';

const values = {
  key: '$1::text',
  orderId: '$2::text',
  amount: '$3::bigint',
  currency: '$4::text',
  chargeId: '$5::text',
};
const statements = {
  claim: `INSERT INTO idem_keys (key, hash, status) VALUES ($1, $2, 'started') ON CONFLICT DO NOTHING RETURNING key`,
  find: 'SELECT hash, status, response FROM idem_keys WHERE key = $1',
  complete: writeRows({ values, completesKey: true }),
  write: writeRows({ values, completesKey: false }),
};

/**
 * Written by hand for this workload alone: two commits, no lease, no recovery, no events, no encryption. What a library has to
 * come near. `protected: false` leaves out the key as well.
 */
export function openFloorWorkload(
  { url, pool: max, provider }: OpenOptions,
  options: { readonly protected: boolean },
): Workload {
  const pool = new pg.Pool({ connectionString: url, max, idleTimeoutMillis: 0 });
  const query = (name: keyof typeof statements, given: unknown[]) =>
    pool.query({ name, text: statements[name], values: given });

  async function replay(key: string, hash: string): Promise<{ chargeId: string }> {
    const [row] = (await query('find', [key])).rows;
    const failure = row?.hash !== hash ? 'mismatch' : 'in-progress';
    if (row?.hash !== hash || row.status !== 'done')
      throw Object.assign(new Error(failure), { outcome: failure });
    return row.response;
  }

  return {
    async pay(key, command) {
      const hash = options.protected ? hashOf(command) : '';
      if (options.protected && (await query('claim', [key, hash])).rowCount === 0) return replay(key, hash);
      const chargeId = await provider.charge(key);
      const { orderId, amountCents, currency } = command;
      const row = [key, orderId, amountCents, currency, chargeId];
      await query(options.protected ? 'complete' : 'write', row);
      return { chargeId };
    },
    close: () => pool.end(),
  };
}

function hashOf({ orderId, amountCents, currency }: Command): string {
  return createHash('sha256').update(`${orderId}\n${amountCents}\n${currency}`).digest('hex');
}
