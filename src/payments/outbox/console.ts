// For the console: what a tenant's people see of its outbox, and what they can do about it. Apart from index.ts because a
// Next route must not bundle React's renderer and the SMTP client.
export type { AddressRule } from './address-rule.ts';
export { findEndpoint, type SetEndpointResult, setWebhookEndpoint } from './endpoint.ts';
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
export { retryDelivery, retryEmail } from './retries.ts';
