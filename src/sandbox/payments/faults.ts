import type { Delivery } from '../http/response.ts';

/*
 * A fault is a way for one request to go wrong. It strikes once per idempotency key: a retry of the key meets a provider
 * that has recovered. What the retry finds depends on which side of the charge the fault lies.
 *
 *   before_charge   nothing was committed, so the retry executes and charges. The exception is a 500: Stripe stores
 *                   those, so the key keeps returning 500 and only reading the intent shows that nothing happened.
 *   after_charge    the result is stored with the charge, so the retry is a replay of it.
 *   webhooks        the response is in order; the events of this intent are not.
 *   finishes_later  the response is `processing`; the outcome comes by webhook.
 */
export type Fault =
  | { kind: 'before_charge'; response: 'silent' | 'rate_limited' | 'server_error' }
  | { kind: 'after_charge'; delivery: Delivery; serverError: boolean }
  | { kind: 'webhooks'; policy: 'twice' | 'never' | 'reversed' }
  | { kind: 'finishes_later' };

export const FAULTS = {
  pm_fault_charged_no_response: { kind: 'after_charge', delivery: 'silent', serverError: false },
  pm_fault_not_charged_no_response: { kind: 'before_charge', response: 'silent' },
  pm_fault_charged_reset: { kind: 'after_charge', delivery: 'reset', serverError: false },
  pm_fault_charged_500: { kind: 'after_charge', delivery: 'plain', serverError: true },
  pm_fault_not_charged_500: { kind: 'before_charge', response: 'server_error' },
  pm_fault_truncated_response: { kind: 'after_charge', delivery: 'truncated', serverError: false },
  pm_fault_slow: { kind: 'after_charge', delivery: 'slow', serverError: false },
  pm_fault_rate_limited: { kind: 'before_charge', response: 'rate_limited' },
  pm_fault_processing: { kind: 'finishes_later' },
  pm_fault_webhook_first: { kind: 'after_charge', delivery: 'after_webhook', serverError: false },
  pm_fault_webhook_twice: { kind: 'webhooks', policy: 'twice' },
  pm_fault_webhook_never: { kind: 'webhooks', policy: 'never' },
  pm_fault_webhook_out_of_order: { kind: 'webhooks', policy: 'reversed' },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

export function faultOf(paymentMethod: string | null): Fault | undefined {
  if (paymentMethod === null || !Object.hasOwn(FAULTS, paymentMethod)) return undefined;
  return FAULTS[paymentMethod as FaultName];
}
