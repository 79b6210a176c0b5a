export {
  type CreatePayment,
  createPayment,
  createPaymentCommand,
  createPaymentOperation,
  finalResultOf,
} from './commands/create-payment.ts';
export { emitPaymentEvent, type PaymentEventType, paymentEventTask } from './outbox.ts';
export {
  answerStatus,
  type FinalResult,
  type Payment,
  type PaymentAnswer,
  type PaymentStatus,
  paymentAnswer,
} from './payment.ts';
export { findLivePayment, findPaymentByOperation } from './payment-rows.ts';
export { paymentProblems } from './problems.ts';
export type { Intent, PaymentProvider, ProviderResult } from './provider.ts';
export { releasePayment, settlePayment } from './settle-payment.ts';
export { createStripeProvider, type StripeSettings } from './stripe-provider.ts';
