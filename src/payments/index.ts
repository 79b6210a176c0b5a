export { attemptWords } from './payment-status-copy.ts';
export {
  type CreatePayment,
  createPayment,
  createPaymentCommand,
  createPaymentOperation,
} from './operations/create-payment/create-payment.ts';
export {
  askedBack,
  believedRefund,
  createRefund,
  createRefundCommand,
  createRefundOperation,
  verdictOnRefund,
} from './operations/create-refund/create-refund.ts';
export type { PaymentEventType } from './outbox/emit-event.ts';
export type { FinalResult, Payment, PaymentAnswer } from './payment.ts';
export { findNextAction, findPaymentByOperation } from './payment-rows.ts';
export {
  believedPayment,
  fencedPayment,
  finalResultOf,
  settledPayment,
  unmadePayment,
} from './operations/create-payment/verdicts.ts';
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
export { failRefund, findRefundByOperation, type Refund } from './operations/create-refund/refund.ts';
export { settlePayment } from './operations/create-payment/complete-payment.ts';
export { createStripeProvider, type StripeSettings } from './stripe/provider.ts';
export { operationIdOf, verifyStripeEvent } from './stripe/webhook.ts';
