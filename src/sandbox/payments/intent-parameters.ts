import { z } from 'zod';
import { invalidRequest } from '../http/api-error.ts';
import { expandOf } from '../http/expand.ts';
import {
  boolean,
  email,
  integer,
  list,
  metadata,
  parameters,
  refuse,
  text,
  url,
} from '../http/parameters.ts';
import { hasPaymentMethodTypes } from '../versions.ts';
import { checkAmount, currency } from './currency.ts';

/** The parameters of PaymentIntents. `objects.test.ts` compares them with the SDK: each is taken or refused by name. */

const confirming = {
  payment_method: text.optional(),
  return_url: url.optional(),
  receipt_email: email.optional(),
  error_on_requires_action: boolean.optional(),
  capture_method: z.enum(['automatic', 'automatic_async']).optional(),
  expand: expandOf('payment_intent'),
};

/** What Stripe has and the sandbox refuses, at creation and at confirmation. */
export const UNSUPPORTED_AT_CONFIRM = [
  ...([
    'amount_details',
    'amount_to_confirm',
    'confirmation_token',
    'excluded_payment_method_types',
  ] as const),
  ...(['hooks', 'mandate', 'mandate_data', 'off_session', 'payment_details', 'payment_method_data'] as const),
  ...([
    'payment_method_options',
    'radar_options',
    'setup_future_usage',
    'shipping',
    'use_stripe_sdk',
  ] as const),
  'allowed_payment_method_types' as const,
];
export const UNSUPPORTED_AT_CREATE = [
  ...([
    'amount_details',
    'application_fee_amount',
    'confirmation_token',
    'customer',
    'customer_account',
  ] as const),
  ...([
    'excluded_payment_method_types',
    'hooks',
    'mandate',
    'mandate_data',
    'off_session',
    'on_behalf_of',
  ] as const),
  ...(['payment_details', 'payment_method_configuration', 'payment_method_data'] as const),
  ...([
    'payment_method_options',
    'radar_options',
    'setup_future_usage',
    'shipping',
    'transfer_data',
  ] as const),
  ...(['transfer_group', 'use_stripe_sdk'] as const),
];

// What banks print: letters, digits and a few signs, and not a number alone.
const descriptorSuffix = text.max(22).transform((suffix, ctx) => {
  const forbidden = /[<>\\'"*]/.exec(suffix)?.[0];
  if (forbidden !== undefined) {
    return refuse(ctx, {
      message: `The statement descriptor suffix contains the invalid character: ${forbidden}`,
    });
  }
  if (/[a-z]/i.test(suffix)) return suffix;
  return refuse(ctx, { message: 'The statement descriptor suffix must contain at least one letter.' });
});

export const confirmation = parameters(confirming, UNSUPPORTED_AT_CONFIRM);

export const creation = parameters(
  {
    amount: integer(1),
    currency,
    confirm: boolean.optional(),
    allowed_payment_method_types: list(z.enum(['card', 'link'])).optional(),
    payment_method_types: list(z.literal('card')).optional(),
    automatic_payment_methods: z
      .strictObject({ enabled: boolean, allow_redirects: z.enum(['always', 'never']).optional() })
      .optional(),
    confirmation_method: z.literal('automatic').optional(),
    metadata: metadata.optional(),
    description: text.max(1000).optional(),
    statement_descriptor: text.optional(),
    statement_descriptor_suffix: descriptorSuffix.optional(),
    ...confirming,
  },
  UNSUPPORTED_AT_CREATE,
  (input, ctx) => {
    checkAmount(input, ctx);
    if (input.statement_descriptor !== undefined) {
      ctx.addIssue({
        code: 'custom',
        path: ['statement_descriptor'],
        message:
          'The `statement_descriptor` parameter cannot be used with the payment method type `card`. Use `statement_descriptor_suffix` instead.',
        params: { code: 'payment_intent_invalid_parameter' },
      });
    }
    if (input.confirm) return;
    for (const name of ['return_url', 'error_on_requires_action'] as const) {
      if (input[name] === undefined) continue;
      ctx.addIssue({
        code: 'custom',
        path: [name],
        message: `The parameter \`${name}\` cannot be passed when creating a PaymentIntent unless \`confirm\` is set to true.`,
        params: { code: 'payment_intent_invalid_parameter' },
      });
    }
  },
);

export const cancellation = parameters({
  cancellation_reason: z.enum(['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer']).optional(),
  expand: expandOf('payment_intent'),
});

export function checkVersion(input: z.output<typeof creation>, apiVersion: string): void {
  if (!input.payment_method_types) return;
  if (!hasPaymentMethodTypes(apiVersion)) {
    throw invalidRequest('Received unknown parameter: payment_method_types', {
      code: 'parameter_unknown',
      param: 'payment_method_types',
    });
  }
  if (input.automatic_payment_methods?.enabled) {
    throw invalidRequest(
      'You may only specify one of these parameters: automatic_payment_methods, payment_method_types.',
    );
  }
}
