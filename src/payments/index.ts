export { attemptWords } from './attempt-words.ts';
export {
  type CreatePayment,
  createPayment,
  createPaymentCommand,
  createPaymentOperation,
} from './commands/create-payment.ts';
export {
  believedRefund,
  type CreateRefund,
  createRefund,
  createRefundCommand,
  createRefundOperation,
  verdictOnRefund,
} from './commands/create-refund.ts';
export { emitPaymentEvent, type PaymentEventType, paymentEventTask } from './outbox.ts';
export {
  answerStatus,
  type FinalResult,
  type Payment,
  type PaymentAnswer,
  type PaymentStatus,
  paymentAnswer,
} from './payment.ts';
export { findLivePayment, findNextAction, findPaymentByOperation } from './payment-rows.ts';
export { fencedPayment, finalResultOf, settledPayment } from './payment-verdicts.ts';
export { paymentProblems } from './problems.ts';
export type {
  ChargesResult,
  Intent,
  PaymentProvider,
  ProviderCharge,
  ProviderResult,
  RefundRequest,
  RefundResult,
} from './provider.ts';
export { type ProviderCall, withCallLog } from './provider-calls.ts';
export { findRefundByOperation, type Refund, type RefundAnswer } from './refund.ts';
export { releasePayment, settlePayment } from './settle-payment.ts';
export { createStripeProvider, type StripeSettings } from './stripe-provider.ts';
export { operationIdOf, verifyStripeEvent } from './stripe-webhook.ts';
