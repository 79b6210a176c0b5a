import { createPaymentDefinition } from '../create-payment/definition.ts';
import type { DefinitionOf } from '../operation-kind.ts';

/**
 * How a shopper pays. It is a payment like any other under a name of its own: keys belong to an operation, so a shopper can
 * never use up a key that the merchant's own server is about to send.
 */
export const payOrderDefinition: DefinitionOf<'order.pay'> = {
  ...createPaymentDefinition,
  name: 'order.pay',
};
