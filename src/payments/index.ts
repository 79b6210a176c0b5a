export type { Admissibility, AdmissibilityRow } from './admissibility.ts';
export { decorateProvider, providerCalls } from './decorate-provider.ts';
export type { EventFollower, Followed, ProviderEvent } from './event-follower.ts';
export { createEventFollowers } from './event-followers.ts';
export { openException } from './exceptions/open-exception.ts';
export { isBooked, refundException } from './exceptions/refund-exception.ts';
export type { Completion, Finding, Investigator } from './investigator.ts';
// For those that execute one particular operation. What treats all operations alike reads the registry.
export { completePayment } from './operations/create-payment/complete-payment.ts';
export type { CreatePayment } from './operations/create-payment/create-payment.ts';
export { actionTimeoutMs } from './operations/create-payment/definition.ts';
export { createPaymentKind } from './operations/create-payment/kind.ts';
export { createRefundKind } from './operations/create-refund/kind.ts';
export { operationDefaults } from './operations/defaults.ts';
export type {
  ExampleValue,
  FactOfBothSides,
  KindParts,
  OperationKind,
  OurSide,
} from './operations/operation-kind.ts';
export {
  createInvestigators,
  findKind,
  kindOf,
  moneyOfOperation,
  operationDefinitions,
  operationKinds,
} from './operations/registry.ts';
export { type PaymentEventType, paymentEventTypes } from './outbox/emit-event.ts';
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
export type { ProviderSnapshot } from './provider-snapshot.ts';
export { createStripeProvider, type StripeSettings } from './stripe/provider.ts';
export { operationOfEvent, readStripeEvent, verifyStripeEvent } from './stripe/webhook.ts';
