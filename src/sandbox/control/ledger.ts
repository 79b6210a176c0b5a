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

/** The number of Paidonce's charges, so that a monitor need not read the whole ledger each time. */
export async function countCharges(pool: Pool): Promise<{ succeeded: number }> {
  const { rows } = await pool.query<{ succeeded: number }>(
    `SELECT count(*)::int AS succeeded
     FROM charges charge JOIN payment_intents intent ON intent.id = charge.payment_intent
     WHERE charge.status = 'succeeded' AND intent.metadata ? 'paidonce_tenant'`,
  );
  return { succeeded: rows[0]?.succeeded ?? 0 };
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
