export { decorateProvider } from './decorate-provider.ts';
export { completePayment } from './operations/create-payment/complete-payment.ts';
export {
  type CreatePayment,
  createPayment,
  createPaymentCommand,
  createPaymentOperation,
} from './operations/create-payment/create-payment.ts';
export {
  canceledPayment,
  completedPayment,
  finalResultOf,
  uncreatedPayment,
  verdictOnFinalIntent,
} from './operations/create-payment/verdicts.ts';
export {
  completedRefund,
  createRefund,
  createRefundCommand,
  createRefundOperation,
  requestedRefund,
  verdictOnRefund,
} from './operations/create-refund/create-refund.ts';
export { failRefund, findRefundByOperation, type Refund } from './operations/create-refund/refund.ts';
export type { PaymentEventType } from './outbox/emit-event.ts';
export type { FinalResult, Payment, PaymentResponse } from './payment.ts';
export { findNextAction, findPaymentByOperation } from './payment-rows.ts';
export { paymentStatusLabel } from './payment-status-copy.ts';
export { paymentProblems } from './problems.ts';
export type {
  Intent,
  PaymentProvider,
  ProviderCharge,
  ProviderResult,
  RefundRequest,
  RefundResult,
} from './provider.ts';
export { type ProviderCall, withCallLog } from './provider-calls.ts';
export { createStripeProvider, type StripeSettings } from './stripe/provider.ts';
export { operationOfEvent, verifyStripeEvent } from './stripe/webhook.ts';
