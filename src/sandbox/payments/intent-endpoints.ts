import { z } from 'zod';
import { recordEvent } from '../events/record-event.ts';
import { invalidRequest } from '../http/api-error.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { Conditions, listObject, listParameters, selectPage } from '../http/list.ts';
import { boolean, expand, integer, list, metadata, noParameters, text } from '../http/parameters.ts';
import { type ApiResponse, ok, type Work } from '../http/response.ts';
import { cancelIntent } from './cancel-intent.ts';
import { findCharge, findCharges } from './charge.ts';
import { chargeObject } from './charge-object.ts';
import { type ConfirmOptions, confirmIntent, requireCard } from './confirm-intent.ts';
import { currency } from './currency.ts';
import { findIntent, type IntentRow, insertIntent, lockIntent } from './intent.ts';
import { intentObject } from './intent-object.ts';
import { searchIntents, searchParameters } from './search-intents.ts';

// This version replaced payment_method_types by allowed_payment_method_types. Dates sort as text.
const WITHOUT_PAYMENT_METHOD_TYPES = '2026-09-30';

const confirmation = {
  payment_method: text.optional(),
  return_url: text.optional(),
  receipt_email: text.optional(),
  expand,
};

const creation = z.strictObject({
  // Stripe's limit is eight digits.
  amount: integer(1, 99_999_999),
  currency,
  confirm: boolean.optional(),
  allowed_payment_method_types: list(z.literal('card')).optional(),
  payment_method_types: list(z.literal('card')).optional(),
  automatic_payment_methods: z
    .strictObject({ enabled: boolean, allow_redirects: z.enum(['always', 'never']).optional() })
    .optional(),
  capture_method: z.enum(['automatic', 'automatic_async']).optional(),
  confirmation_method: z.literal('automatic').optional(),
  metadata: metadata.optional(),
  description: text.optional(),
  statement_descriptor: text.max(22).optional(),
  statement_descriptor_suffix: text.max(22).optional(),
  ...confirmation,
});

const cancellation = z.strictObject({
  cancellation_reason: z.enum(['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer']).optional(),
  expand,
});

export function intentEndpoints(options: ConfirmOptions): Endpoint[] {
  const root = '/v1/payment_intents';
  return [
    endpoint('POST', root, creation, async (work, input) => {
      const response = await create(work, input, options);
      return expanded(work, response, input.expand);
    }),
    endpoint('POST', `${root}/:id/confirm`, z.strictObject(confirmation), async (work, input, id) => {
      const response = await confirmIntent(work, await lockIntent(work, id), input, options);
      return expanded(work, response, input.expand);
    }),
    endpoint('POST', `${root}/:id/cancel`, cancellation, (work, input, id) =>
      cancelIntent(work, id, input.cancellation_reason),
    ),
    endpoint('GET', `${root}/search`, searchParameters, async (work, input) =>
      ok(await searchIntents(work, input)),
    ),
    endpoint(
      'GET',
      `${root}/:id`,
      noParameters.extend({ client_secret: text.optional() }),
      async (work, input, id) => expanded(work, ok(intentObject(await findIntent(work, id))), input.expand),
    ),
    endpoint('GET', root, z.strictObject(listParameters), async (work, input) => {
      const page = await selectPage<IntentRow>(work, 'payment_intents', new Conditions(), input);
      const data = await toObjects(work, page.rows, input.expand?.includes('data.latest_charge') ?? false);
      return ok(listObject(root, data, page.hasMore));
    }),
  ];
}

async function create(
  work: Work,
  input: z.output<typeof creation>,
  options: ConfirmOptions,
): Promise<ApiResponse> {
  if (input.payment_method_types && work.apiVersion >= WITHOUT_PAYMENT_METHOD_TYPES) {
    throw invalidRequest('Received unknown parameter: payment_method_types', {
      code: 'parameter_unknown',
      param: 'payment_method_types',
    });
  }
  if (input.payment_method_types && input.automatic_payment_methods?.enabled) {
    throw invalidRequest(
      'You may only specify one of these parameters: automatic_payment_methods, payment_method_types.',
    );
  }
  if (input.payment_method !== undefined) requireCard(input.payment_method);
  const intent = await insertIntent(work, {
    status: input.payment_method === undefined ? 'requires_payment_method' : 'requires_confirmation',
    amount: input.amount,
    currency: input.currency,
    payment_method: input.payment_method ?? null,
    payment_method_types: ['card'],
    allowed_payment_method_types: input.allowed_payment_method_types ?? null,
    automatic_payment_methods: automatic(input),
    capture_method: input.capture_method ?? 'automatic_async',
    metadata: input.metadata ?? {},
    description: input.description ?? null,
    receipt_email: input.receipt_email ?? null,
    statement_descriptor: input.statement_descriptor ?? null,
    statement_descriptor_suffix: input.statement_descriptor_suffix ?? null,
    return_url: input.return_url ?? null,
  });
  await recordEvent(work, 'payment_intent.created', intentObject(intent), intent);
  return input.confirm ? confirmIntent(work, intent, input, options) : ok(intentObject(intent));
}

// Since 2023 Stripe enables automatic payment methods unless the caller names the types.
function automatic(input: z.output<typeof creation>): IntentRow['automatic_payment_methods'] {
  if (input.payment_method_types) return null;
  const { enabled, allow_redirects } = input.automatic_payment_methods ?? { enabled: true };
  return enabled ? { enabled, allow_redirects: allow_redirects ?? 'always' } : null;
}

/** Inlines the charge in a response that is an intent. Errors stay as they are. */
async function expanded(
  work: Work,
  response: ApiResponse,
  paths: string[] | undefined,
): Promise<ApiResponse> {
  const wanted = response.status === 200 && (paths?.includes('latest_charge') ?? false);
  const id = wanted && 'latest_charge' in response.body ? response.body.latest_charge : null;
  if (typeof id !== 'string') return response;
  return { ...response, body: { ...response.body, latest_charge: chargeObject(await findCharge(work, id)) } };
}

async function toObjects(work: Work, intents: IntentRow[], chargesInFull: boolean): Promise<object[]> {
  const ids = chargesInFull ? intents.flatMap(({ latest_charge }) => latest_charge ?? []) : [];
  const charges = await findCharges(work, ids);
  return intents.map((intent) => intentObject(intent, charges.get(intent.latest_charge ?? '')));
}
