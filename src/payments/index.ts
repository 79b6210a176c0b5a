export { attemptWords } from './attempt-words.ts';
export {
  type CreatePayment,
  createPayment,
  createPaymentCommand,
  createPaymentOperation,
} from './commands/create-payment.ts';
export {
  askedBack,
  believedRefund,
  createRefund,
  createRefundCommand,
  createRefundOperation,
  verdictOnRefund,
} from './commands/create-refund.ts';
export type { PaymentEventType } from './outbox.ts';
export type { FinalResult, Payment, PaymentAnswer } from './payment.ts';
export { findNextAction, findPaymentByOperation } from './payment-rows.ts';
export {
  believedPayment,
  fencedPayment,
  finalResultOf,
  settledPayment,
  unmadePayment,
} from './payment-verdicts.ts';
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
export { failRefund, findRefundByOperation, type Refund } from './refund.ts';
export { settlePayment } from './settle-payment.ts';
export { createStripeProvider, type StripeSettings } from './stripe-provider.ts';
export { operationIdOf, verifyStripeEvent } from './stripe-webhook.ts';
