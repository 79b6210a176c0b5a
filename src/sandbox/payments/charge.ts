import { noSuch } from '../http/api-error.ts';
import { seconds, type Work } from '../http/response.ts';
import { newId } from '../store/ids.ts';
import { readRows } from '../store/read-rows.ts';
import type { Decline } from './cards.ts';
import type { IntentRow } from './intent.ts';

export interface ChargeRow {
  id: string;
  /** Assigned by the database. */
  sequence?: number;
  version: number;
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
  capture_method: IntentRow['capture_method'];
  failure: Decline | null;
  created: number;
}

interface ChargeResult {
  status: ChargeRow['status'];
  authenticated?: boolean;
  failure?: Decline;
}

/** A failed charge is stored as well. */
export function insertCharge(work: Work, intent: IntentRow, result: ChargeResult): ChargeRow {
  const charge: ChargeRow = {
    id: newId('ch'),
    version: 0,
    payment_intent: intent.id,
    status: result.status,
    amount: intent.amount,
    amount_refunded: 0,
    currency: intent.currency,
    payment_method: requirePaymentMethod(intent),
    metadata: intent.metadata,
    description: intent.description,
    receipt_email: intent.receipt_email,
    statement_descriptor: intent.statement_descriptor,
    statement_descriptor_suffix: intent.statement_descriptor_suffix,
    authenticated: result.authenticated ?? false,
    capture_method: intent.capture_method,
    failure: result.failure ?? null,
    created: seconds(work),
  };
  work.changes.charges.set(charge.id, charge);
  return charge;
}

export function updateCharge(
  work: Work,
  charge: ChargeRow,
  change: Partial<Pick<ChargeRow, 'status' | 'amount_refunded'>>,
): ChargeRow {
  const changed = { ...charge, ...change };
  work.changes.charges.set(charge.id, changed);
  return changed;
}

export function requirePaymentMethod(intent: IntentRow): string {
  if (intent.payment_method === null)
    throw new Error(`${intent.id} is being charged without a payment method`);
  return intent.payment_method;
}

export async function findCharge(work: Work, id: string): Promise<ChargeRow> {
  const found = (await readRows(work, 'charges', [id])).get(id);
  if (!found) throw noSuch('charge', id, 'id');
  return found;
}
