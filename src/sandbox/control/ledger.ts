import { z } from 'zod';
import { Conditions } from '../http/list.ts';
import type { Pool } from '../store/database.ts';

/** References are unique within a tenant only, hence the tenant. Without a filter the whole ledger is returned. */
export const ledgerFilter = z.strictObject({
  reference: z.string().optional(),
  operation: z.string().optional(),
  tenant: z.string().optional(),
  intent: z.string().optional(),
});

export type LedgerFilter = z.output<typeof ledgerFilter>;

/** Charges that succeeded, are pending or failed. A charge counts as refunded when all of it was refunded. */
export async function listCharges(pool: Pool, filter: LedgerFilter): Promise<object[]> {
  const where = conditions(filter);
  const { rows } = await pool.query(
    `SELECT charge.id,
       CASE WHEN charge.amount_refunded = charge.amount THEN 'refunded' ELSE charge.status END AS status,
       charge.amount, charge.amount_refunded, charge.currency, intent.id AS intent, charge.payment_method,
       intent.metadata, charge.created
     FROM charges charge JOIN payment_intents intent ON intent.id = charge.payment_intent
     WHERE ${where} ORDER BY charge.sequence`,
    where.values,
  );
  return rows;
}

export interface LedgerPart {
  /** The first two digits of the MD5 of their intents' ids. */
  readonly part: string;
  readonly count: number;
  /** The exclusive or of the next eight digits: charges of other intents have another one. */
  readonly digest: number;
}

/** How many of Paidonce's charges succeeded, in 256 parts, so that a monitor finds a difference without reading the whole ledger. */
export async function countCharges(pool: Pool): Promise<{ succeeded: number; parts: LedgerPart[] }> {
  const { rows: parts } = await pool.query<LedgerPart>(
    `SELECT left(hash, 2) AS part, count(*)::int AS count, bit_xor(('x' || substr(hash, 3, 8))::bit(32)::int) AS digest
     FROM (
       SELECT md5(intent.id) AS hash
       FROM charges charge JOIN payment_intents intent ON intent.id = charge.payment_intent
       WHERE charge.status = 'succeeded' AND intent.metadata ? 'paidonce_tenant') AS charged
     GROUP BY part`,
  );
  return { succeeded: parts.reduce((sum, { count }) => sum + count, 0), parts };
}

export async function listRefunds(pool: Pool, filter: LedgerFilter): Promise<object[]> {
  const where = conditions(filter);
  const { rows } = await pool.query(
    `SELECT refund.id, refund.status, refund.amount, refund.currency, refund.charge, intent.id AS intent,
       refund.metadata, refund.created
     FROM refunds refund JOIN payment_intents intent ON intent.id = refund.payment_intent
     WHERE ${where} ORDER BY refund.sequence`,
    where.values,
  );
  return rows;
}

function conditions(filter: LedgerFilter): Conditions {
  const where = new Conditions();
  const metadata = {
    ...(filter.reference === undefined ? {} : { reference: filter.reference }),
    ...(filter.operation === undefined ? {} : { operation: filter.operation }),
    ...(filter.tenant === undefined ? {} : { paidonce_tenant: filter.tenant }),
  };
  if (Object.keys(metadata).length > 0) where.add('intent.metadata @>', JSON.stringify(metadata));
  if (filter.intent !== undefined) where.add('intent.id =', filter.intent);
  return where;
}
