// Read by the browser too: texts only.
import { createPaymentCopy } from '../create-payment/copy.ts';
import type { OperationCopy } from '../operation-copy.ts';

/** What becomes of it is what becomes of a payment, in the same words. */
export const payOrderCopy = {
  ...createPaymentCopy,
  noun: 'Order payment',
  requested: 'Pay an order',
  chart: { series: 'Order payments', noun: 'order payment', tone: 'ok' },
} as const satisfies OperationCopy;
