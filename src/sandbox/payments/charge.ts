import { noSuch } from '../http/api-error.ts';
import { seconds, type Work } from '../http/response.ts';
import { onlyRow } from '../store/database.ts';
import { newId } from '../store/ids.ts';
import type { Decline } from './cards.ts';
import type { IntentRow } from './intent.ts';

export interface ChargeRow {
  id: string;
  sequence: number;
  payment_intent: string;
  status: 'pending' | 'succeeded' | 'failed';
  amount: number;
  amount_refunded: number;
  currency: string;
  payment_method: string;
  metadata: Record<string, string>;
  description: string | null;
  receipt_email: string | null;
  statement_descriptor: string | null;
  statement_descriptor_suffix: string | null;
  authenticated: boolean;
  failure: Decline | null;
  created: number;
}

interface ChargeResult {
  status: ChargeRow['status'];
  authenticated?: boolean;
  failure?: Decline;
}

/** A failed charge is stored as well. The caller holds the intent's row lock. */
export async function insertCharge(work: Work, intent: IntentRow, result: ChargeResult): Promise<ChargeRow> {
  const { rows } = await work.tx.query<ChargeRow>(
    `INSERT INTO charges (id, payment_intent, status, amount, currency, payment_method, metadata, description,
       receipt_email, statement_descriptor, statement_descriptor_suffix, authenticated, failure, created)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING *`,
    [
      newId('ch'),
      intent.id,
      result.status,
      intent.amount,
      intent.currency,
      requirePaymentMethod(intent),
      JSON.stringify(intent.metadata),
      intent.description,
      intent.receipt_email,
      intent.statement_descriptor,
      intent.statement_descriptor_suffix,
      result.authenticated ?? false,
      result.failure ? JSON.stringify(result.failure) : null,
      seconds(work),
    ],
  );
  return onlyRow(rows);
}

export function requirePaymentMethod(intent: IntentRow): string {
  if (intent.payment_method === null)
    throw new Error(`${intent.id} is being charged without a payment method`);
  return intent.payment_method;
}

export async function completePendingCharge(work: Work, id: string): Promise<ChargeRow> {
  const { rows } = await work.tx.query<ChargeRow>(
    "UPDATE charges SET status = 'succeeded' WHERE id = $1 AND status = 'pending' RETURNING *",
    [id],
  );
  return onlyRow(rows);
}

export async function findCharges(work: Work, ids: string[]): Promise<Map<string, ChargeRow>> {
  const { rows } = await work.tx.query<ChargeRow>('SELECT * FROM charges WHERE id = ANY ($1)', [ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

export async function findCharge(work: Work, id: string): Promise<ChargeRow> {
  const { rows } = await work.tx.query<ChargeRow>('SELECT * FROM charges WHERE id = $1', [id]);
  const found = rows[0];
  if (!found) throw noSuch('charge', id, 'id');
  return found;
}
