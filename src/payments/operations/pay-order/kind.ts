import { followsNothing } from '#payments/event-follower.ts';
import type { PaymentResponse } from '#payments/payment.ts';
import { topicOfReference } from '#payments/topics.ts';
import type { CreatePayment } from '../create-payment/command.ts';
import { paymentAtClaim } from '../create-payment/create-payment.ts';
import { createPaymentInvestigator } from '../create-payment/investigate.ts';
import { createPaymentKind } from '../create-payment/kind.ts';
import type { KindOf } from '../operation-kind.ts';
import { payOrderDefinition } from './definition.ts';

export const payOrderKind: KindOf<'order.pay', CreatePayment, PaymentResponse> = {
  ...createPaymentKind,
  definition: payOrderDefinition,
  // Other tabs show that the order is being paid. No page waits for a payment that is made through the API.
  atClaim: (command) => (operation) => ({
    ...paymentAtClaim(command)(operation),
    topics: [topicOfReference({ tenantId: operation.tenantId, reference: command.reference })],
  }),
  createInvestigator: (parts) => createPaymentInvestigator(payOrderDefinition, parts),
  // The follower of payments finds its payment too: by the operation's id, under either name.
  createFollower: () => followsNothing,
  http: null,
  metrics: { ...createPaymentKind.metrics, activity: 'order_payment' },
};
