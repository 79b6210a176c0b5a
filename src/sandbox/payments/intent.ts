import { noSuch } from '../http/api-error.ts';
import { seconds, type Work } from '../http/response.ts';
import { newClientSecret, newId } from '../store/ids.ts';
import { readRows } from '../store/read-rows.ts';

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
 * A commit compares the version that was read, so of two concurrent confirms the second reads what the first wrote.
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
  /** Assigned by the database. */
  sequence?: number;
  version: number;
  client_secret: string;
  status: IntentStatus;
  amount: number;
  currency: string;
  payment_method: string | null;
  payment_method_types: string[];
  allowed_payment_method_types: ('card' | 'link')[] | null;
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

type Generated = 'id' | 'sequence' | 'version' | 'client_secret' | 'created';
type SetByConfirm = 'next_action' | 'last_payment_error' | 'latest_charge' | 'finishes_at_ms';
type SetByCancel = 'canceled_at' | 'cancellation_reason';
export type NewIntent = Omit<IntentRow, Generated | SetByConfirm | SetByCancel>;

export function insertIntent(work: Work, fields: NewIntent): IntentRow {
  const id = newId('pi');
  const intent: IntentRow = {
    id,
    version: 0,
    client_secret: newClientSecret(id),
    created: seconds(work),
    next_action: null,
    last_payment_error: null,
    latest_charge: null,
    finishes_at_ms: null,
    canceled_at: null,
    cancellation_reason: null,
    ...fields,
  };
  work.changes.intents.set(id, intent);
  return intent;
}

export function updateIntent(
  work: Work,
  intent: IntentRow,
  change: Partial<Omit<IntentRow, Generated>>,
): IntentRow {
  const changed = { ...intent, ...change };
  work.changes.intents.set(intent.id, changed);
  return changed;
}

/** `param` is what named the intent: the path, or a parameter. */
export async function findIntent(work: Work, id: string, param = 'intent'): Promise<IntentRow> {
  const found = (await readRows(work, 'intents', [id])).get(id);
  if (!found) throw noSuch('payment_intent', id, param);
  return found;
}
