import type { SendMode } from '../http/response.ts';

/*
 * A fault is a failure that one request is to have. It is injected once per idempotency key: a retry with the key gets the
 * response of a provider that has recovered. What that is depends on whether the fault comes before or after the charge.
 *
 *   before_charge   nothing was committed, so the retry executes and charges. The exception is a 500: Stripe stores
 *                   those, so the key keeps returning 500 and only reading the intent shows that nothing happened.
 *   after_charge    the result is stored with the charge, so the retry is a replay of it.
 *   webhooks        the response is normal; the deliveries of this intent's events are not.
 *   finishes_later  the response is `processing`; the outcome comes by webhook.
 */
export type Fault =
  | { kind: 'before_charge'; response: 'no_response' | 'rate_limited' | 'server_error' }
  | { kind: 'after_charge'; sendMode: SendMode; serverError: boolean }
  | { kind: 'webhooks'; policy: 'twice' | 'never' | 'reversed' }
  | { kind: 'finishes_later' };

export const FAULTS = {
  pm_fault_charged_no_response: { kind: 'after_charge', sendMode: 'no_response', serverError: false },
  pm_fault_not_charged_no_response: { kind: 'before_charge', response: 'no_response' },
  pm_fault_charged_reset: { kind: 'after_charge', sendMode: 'reset', serverError: false },
  pm_fault_charged_500: { kind: 'after_charge', sendMode: 'plain', serverError: true },
  pm_fault_not_charged_500: { kind: 'before_charge', response: 'server_error' },
  pm_fault_truncated_response: { kind: 'after_charge', sendMode: 'truncated', serverError: false },
  pm_fault_slow: { kind: 'after_charge', sendMode: 'slow', serverError: false },
  pm_fault_rate_limited: { kind: 'before_charge', response: 'rate_limited' },
  pm_fault_processing: { kind: 'finishes_later' },
  pm_fault_webhook_first: { kind: 'after_charge', sendMode: 'after_webhook', serverError: false },
  pm_fault_webhook_twice: { kind: 'webhooks', policy: 'twice' },
  pm_fault_webhook_never: { kind: 'webhooks', policy: 'never' },
  pm_fault_webhook_out_of_order: { kind: 'webhooks', policy: 'reversed' },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

export function faultOf(paymentMethod: string | null): Fault | undefined {
  if (paymentMethod === null || !Object.hasOwn(FAULTS, paymentMethod)) return undefined;
  return FAULTS[paymentMethod as FaultName];
}
