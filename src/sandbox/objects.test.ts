import type Stripe from 'stripe';
import { expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { EventName } from './events/event-names.ts';
import type { eventObject } from './events/event-object.ts';
import type { webhookEndpointObject } from './events/webhook-endpoint.ts';
import type { transaction } from './payments/balance-transaction.ts';
import type { chargeObject } from './payments/charge-object.ts';
import type { intentObject } from './payments/intent-object.ts';
import type {
  confirmation,
  creation,
  UNSUPPORTED_AT_CONFIRM,
  UNSUPPORTED_AT_CREATE,
} from './payments/intent-parameters.ts';
import type { paymentMethodObject } from './payments/payment-method-object.ts';
import type { refundObject } from './payments/refund-object.ts';

// `tsc` checks this: a field that the SDK declares as always present and that we do not send, or that we send with a type
// that the SDK does not expect, is a type error.
type Required<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] };
type Missing<Theirs, Ours> = Exclude<keyof Required<Theirs>, keyof Ours>;
type Unknown<Theirs, Ours> = Exclude<keyof Ours, keyof Theirs>;

test('every object has the fields that the SDK declares as always present, and none that it does not know', () => {
  type Intent = ReturnType<typeof intentObject>;
  expectTypeOf<Missing<Stripe.PaymentIntent, Intent>>().toBeNever();
  expectTypeOf<Unknown<Stripe.PaymentIntent, Intent>>().toBeNever();
  type Charge = ReturnType<typeof chargeObject>;
  expectTypeOf<Missing<Stripe.Charge, Charge>>().toBeNever();
  expectTypeOf<Unknown<Stripe.Charge, Charge>>().toBeNever();
  type Refund = ReturnType<typeof refundObject>;
  expectTypeOf<Missing<Stripe.Refund, Refund>>().toBeNever();
  expectTypeOf<Unknown<Stripe.Refund, Refund>>().toBeNever();
  type Event = ReturnType<typeof eventObject>;
  expectTypeOf<Missing<Stripe.Event, Event>>().toBeNever();
  type WebhookEndpoint = ReturnType<typeof webhookEndpointObject>;
  expectTypeOf<Missing<Stripe.WebhookEndpoint, WebhookEndpoint>>().toBeNever();
  expectTypeOf<Unknown<Stripe.WebhookEndpoint, WebhookEndpoint>>().toBeNever();
  type PaymentMethod = ReturnType<typeof paymentMethodObject>;
  expectTypeOf<Missing<Stripe.PaymentMethod, PaymentMethod>>().toBeNever();
  expectTypeOf<Unknown<Stripe.PaymentMethod, PaymentMethod>>().toBeNever();
  type Transaction = ReturnType<typeof transaction>;
  expectTypeOf<Missing<Stripe.BalanceTransaction, Transaction>>().toBeNever();
  expectTypeOf<Unknown<Stripe.BalanceTransaction, Transaction>>().toBeNever();
});

test('the objects without a free-form part are assignable to the SDK types', () => {
  expectTypeOf<ReturnType<typeof chargeObject>>().toExtend<Stripe.Charge>();
  expectTypeOf<ReturnType<typeof refundObject>>().toExtend<Stripe.Refund>();
  expectTypeOf<ReturnType<typeof paymentMethodObject>>().toExtend<Stripe.PaymentMethod>();
  expectTypeOf<ReturnType<typeof webhookEndpointObject>>().toExtend<Stripe.WebhookEndpoint>();
});

test('every event name of the SDK can be enabled, and no other', () => {
  expectTypeOf<EventName>().toEqualTypeOf<Stripe.WebhookEndpointCreateParams.EnabledEvent>();
});

test('every parameter of the SDK is taken, or refused by its name', () => {
  type Create = keyof z.input<typeof creation> | (typeof UNSUPPORTED_AT_CREATE)[number];
  expectTypeOf<Exclude<keyof Stripe.PaymentIntentCreateParams, Create>>().toBeNever();
  type Confirm = keyof z.input<typeof confirmation> | (typeof UNSUPPORTED_AT_CONFIRM)[number];
  expectTypeOf<Exclude<keyof Stripe.PaymentIntentConfirmParams, Confirm>>().toBeNever();
});
