export type { Admissibility, AdmissibilityRow } from './admissibility.ts';
export { decorateProvider, providerCalls } from './decorate-provider.ts';
export type {
  BookedObject,
  DashboardEvent,
  EventFollower,
  Followed,
  ProviderEvent,
} from './event-follower.ts';
export { createEventFollower } from './event-followers.ts';
export { bookException } from './exceptions/book-exception.ts';
export type { LostBooking } from './exceptions/close-as-booked.ts';
export { closeExpected } from './exceptions/close-expected.ts';
export {
  holdsByCharge,
  holdsFoundCharge,
  isHoldingChargeSql,
  isPaidFor,
  type ShownStatus,
  shownStatusOf,
  withFoundCharges,
} from './exceptions/found-charge.ts';
export { closeRefundedInFull, isRefundable, openException } from './exceptions/open-exception.ts';
export { type ExceptionRefund, isBooked, refundException } from './exceptions/refund-exception.ts';
export { comparisonActor } from './exceptions/restored.ts';
export { type Completion, type Finding, type Investigator, notOpenedYet } from './investigator.ts';
// For those that execute one particular operation. What treats all operations alike reads the registry.
export type { CreatePayment } from './operations/create-payment/command.ts';
export { createPayment } from './operations/create-payment/create-payment.ts';
export { actionTimeoutMs } from './operations/create-payment/definition.ts';
export { createPaymentKind } from './operations/create-payment/kind.ts';
export type { CreateRefund } from './operations/create-refund/create-refund.ts';
export { createRefund, type RefundCondition } from './operations/create-refund/create-refund.ts';
export { createRefundProblems } from './operations/create-refund/definition.ts';
export { createRefundKind } from './operations/create-refund/kind.ts';
export { operationDefaults } from './operations/defaults.ts';
export type {
  ExampleValue,
  FactOfBothSides,
  KindParts,
  OperationHttp,
  OperationKind,
  OperationRows,
  OurSide,
  PurchaseCheck,
} from './operations/operation-kind.ts';
export { payOrderKind } from './operations/pay-order/kind.ts';
export {
  apiKinds,
  createInvestigators,
  findKind,
  kindOf,
  moneyOfOperation,
  operationDefinitions,
  operationKinds,
  operationRows,
} from './operations/registry.ts';
export { runOperation } from './operations/run-operation.ts';
export { type PaymentEventType, paymentEventTypes } from './outbox/emit-event.ts';
export type { FinalResult, Payment, PaymentResponse } from './payment.ts';
export { findNextAction, findPaymentByOperation, lockPayment } from './payment-rows.ts';
export { paymentStatusLabel } from './payment-status-copy.ts';
export { paymentProblems } from './problems.ts';
export {
  type Intent,
  isExpectedRejection,
  type ListedObject,
  type PaymentProvider,
  type ProviderCharge,
  type ProviderResult,
  type RefundRequest,
  type RefundResult,
} from './provider.ts';
export { type ProviderCall, withCallLog } from './provider-calls.ts';
export type { ProviderSnapshot } from './provider-snapshot.ts';
export { consolePrefix } from './refund-references.ts';
export { createStripeProvider, type StripeSettings } from './stripe/provider.ts';
export {
  essentialJson,
  operationOfEvent,
  readStripeEvent,
  storableJson,
  stripeEventColumns,
  uninformativeType,
  verifyStripeEvent,
} from './stripe/webhook.ts';
export { outboxTopic, topicOfReference } from './topics.ts';
