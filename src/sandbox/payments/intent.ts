import { noSuch } from '../http/api-error.ts';
import { seconds, type Work } from '../http/response.ts';
import { onlyRow } from '../store/database.ts';
import { newClientSecret, newId } from '../store/ids.ts';

/*
 * The states of a PaymentIntent, as at Stripe.
 *
 *   requires_payment_method   waiting for a card; a decline or a failed authentication returns here
 *   requires_confirmation     has a card, waiting for a confirm to charge it
 *   requires_action           the bank asks the shopper to authenticate; next_action has the address
 *   processing                sent to the bank, which has not responded yet
 *   succeeded                 charged. Final
 *   canceled                  can never be charged. Final, so a caller may release its own key after a cancel
 *
 * Every change of an intent holds its row lock, so of two concurrent confirms the second reads what the first wrote.
 */
export type IntentStatus =
  | 'requires_payment_method'
  | 'requires_confirmation'
  | 'requires_action'
  | 'processing'
  | 'succeeded'
  | 'canceled';

export const CONFIRMABLE: readonly IntentStatus[] = ['requires_payment_method', 'requires_confirmation'];
export const CANCELABLE: readonly IntentStatus[] = [...CONFIRMABLE, 'requires_action'];

export interface IntentRow {
  id: string;
  sequence: number;
  client_secret: string;
  status: IntentStatus;
  amount: number;
  currency: string;
  payment_method: string | null;
  payment_method_types: string[];
  allowed_payment_method_types: 'card'[] | null;
  automatic_payment_methods: { enabled: boolean; allow_redirects: 'always' | 'never' } | null;
  capture_method: 'automatic' | 'automatic_async';
  metadata: Record<string, string>;
  description: string | null;
  receipt_email: string | null;
  statement_descriptor: string | null;
  statement_descriptor_suffix: string | null;
  return_url: string | null;
  next_action: object | null;
  last_payment_error: object | null;
  latest_charge: string | null;
  canceled_at: number | null;
  cancellation_reason: string | null;
  finishes_at_ms: number | null;
  created: number;
}

type Generated = 'id' | 'sequence' | 'client_secret' | 'created';
type SetByConfirm = 'next_action' | 'last_payment_error' | 'latest_charge' | 'finishes_at_ms';
type SetByCancel = 'canceled_at' | 'cancellation_reason';
export type NewIntent = Omit<IntentRow, Generated | SetByConfirm | SetByCancel>;

const JSON_COLUMNS = new Set(['automatic_payment_methods', 'metadata', 'next_action', 'last_payment_error']);

export async function insertIntent(work: Work, fields: NewIntent): Promise<IntentRow> {
  const id = newId('pi');
  const row = { id, client_secret: newClientSecret(id), created: seconds(work), ...fields };
  const columns = Object.keys(row);
  const { rows } = await work.tx.query<IntentRow>(
    `INSERT INTO payment_intents (${columns.join(', ')})
     VALUES (${columns.map((_, index) => `$${index + 1}`).join(', ')}) RETURNING *`,
    Object.entries(row).map(toColumn),
  );
  return onlyRow(rows);
}

export async function updateIntent(
  work: Work,
  id: string,
  change: Partial<Omit<IntentRow, Generated>>,
): Promise<IntentRow> {
  const assignments = Object.keys(change).map((column, index) => `${column} = $${index + 2}`);
  const { rows } = await work.tx.query<IntentRow>(
    `UPDATE payment_intents SET ${assignments.join(', ')} WHERE id = $1 RETURNING *`,
    [id, ...Object.entries(change).map(toColumn)],
  );
  return onlyRow(rows);
}

export async function findIntent(work: Work, id: string): Promise<IntentRow> {
  const { rows } = await work.tx.query<IntentRow>('SELECT * FROM payment_intents WHERE id = $1', [id]);
  return rows[0] ?? missing(id);
}

export async function lockIntent(work: Work, id: string): Promise<IntentRow> {
  const { rows } = await work.tx.query<IntentRow>('SELECT * FROM payment_intents WHERE id = $1 FOR UPDATE', [
    id,
  ]);
  return rows[0] ?? missing(id);
}

function missing(id: string): never {
  throw noSuch('payment_intent', id, 'intent');
}

function toColumn([column, value]: [string, unknown]): unknown {
  return JSON_COLUMNS.has(column) && value !== null ? JSON.stringify(value) : value;
}
