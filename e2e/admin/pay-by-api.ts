import { randomUUID } from 'node:crypto';
import type { Demo } from '../fixtures.ts';

export interface ApiPayment {
  readonly reference: string;
  readonly key: string;
  readonly operationId: string;
  readonly paymentId: string | undefined;
  readonly status: string;
}

/** A payment as a shop's server makes it. Many of these take less time than one through a browser. */
export async function payByApi(
  demo: Demo,
  options: {
    readonly shop?: string;
    readonly card?: string;
    readonly amountMinor?: number;
    readonly reference?: string;
    readonly key?: string;
    readonly email?: string;
  } = {},
): Promise<ApiPayment> {
  const tenant = demo.tenants.find(({ slug }) => slug === (options.shop ?? 'acme'));
  if (!tenant) throw new Error(`The demo has no tenant ${options.shop}.`);
  const reference = options.reference ?? `T-${randomUUID().slice(0, 13).toUpperCase()}`;
  const key = options.key ?? randomUUID();
  const response = await fetch(`${demo.urls.app}/api/v1/payments`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${tenant.apiKey}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': key,
    },
    body: JSON.stringify({
      amountMinor: options.amountMinor ?? 1_250,
      currency: 'eur',
      paymentMethod: options.card ?? 'pm_card_visa',
      reference,
      ...(options.email && { receiptEmail: options.email }),
    }),
  });
  const body = (await response.json()) as { operationId: string; paymentId?: string; status: string };
  return {
    reference,
    key,
    operationId: body.operationId,
    paymentId: body.paymentId,
    status: body.status,
  };
}

/** A refund of the whole payment as a shop's server makes it. */
export async function refundByApi(
  demo: Demo,
  paymentId: string | undefined,
  /** Undefined: all of it. */
  amountMinor?: number,
): Promise<{ operationId: string }> {
  const tenant = demo.tenants.find(({ slug }) => slug === 'acme');
  const response = await fetch(`${demo.urls.app}/api/v1/refunds`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${tenant?.apiKey}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': randomUUID(),
    },
    body: JSON.stringify({ paymentId, reference: randomUUID(), amountMinor }),
  });
  return (await response.json()) as { operationId: string };
}

/** A payment that is unknown, and stays so while the worker is suspended. */
export function payUnknown(demo: Demo, options: Parameters<typeof payByApi>[1] = {}): Promise<ApiPayment> {
  return payByApi(demo, { card: 'pm_fault_charged_no_response', ...options });
}

/** For this long the sandbox carries out every request about the payment and sends no response. */
export async function silence(demo: Demo, reference: string, seconds: number): Promise<void> {
  await fetch(`${demo.urls.sandbox}/_sandbox/silence`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ reference, seconds }),
  });
}
