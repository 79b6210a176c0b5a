// For the console: what a tenant's people see of its outbox, and what they can do about it. Apart from index.ts because a
// Next route must not bundle React's renderer and the SMTP client.
export type { AddressRule } from './address-rule.ts';
export { type PaymentEventType, paymentEventTypes } from './emit-event.ts';
export {
  addEndpoint,
  changeEndpoint,
  type EndpointChoice,
  maxEndpoints,
  removeEndpoint,
  switchEndpoint,
  type UrlProblem,
} from './endpoint.ts';
export { findDelivery, listEndpoints } from './endpoint-listing.ts';
export {
  type DeliveryStatus,
  deliveryStatuses,
  type EmailStatus,
  emailStatuses,
  findEmail,
  listDeliveries,
  listEmails,
} from './listing.ts';
export { type EmailContent, queueEmail } from './queue-email.ts';
export { findReceiptDelivery } from './receipt-delivery.ts';
export { retryDelivery, retryEmail } from './retries.ts';
export { queueTest, testEventType } from './test-delivery.ts';
export { rotateSecret, rotationHours } from './webhook-secret.ts';
