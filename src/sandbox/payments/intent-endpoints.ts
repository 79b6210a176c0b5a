import type { z } from 'zod';
import { recordEvent } from '../events/record-event.ts';
import { invalidRequest } from '../http/api-error.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { expandOf, expandOfList } from '../http/expand.ts';
import { Conditions, listObject, listParameters, selectPage } from '../http/list.ts';
import { parameters, text } from '../http/parameters.ts';
import { type ApiResponse, ok, type Work } from '../http/response.ts';
import { cancelIntent } from './cancel-intent.ts';
import { type ConfirmOptions, confirmIntent, requireCard } from './confirm-intent.ts';
import { expandData, expandResponse } from './expand-objects.ts';
import { findIntent, type IntentRow, insertIntent } from './intent.ts';
import { intentObject } from './intent-object.ts';
import { cancellation, checkVersion, confirmation, creation } from './intent-parameters.ts';
import { searchIntents, searchParameters } from './search-intents.ts';

const listing = parameters({ ...listParameters, expand: expandOfList('payment_intent') }, [
  'customer',
  'customer_account',
]);
const retrieval = parameters({ client_secret: text.optional(), expand: expandOf('payment_intent') });

const WRONG_CLIENT_SECRET =
  'The client_secret provided does not match any associated payment_intent on this account. Ensure the client_secret provided is correct.';

export function intentEndpoints(options: ConfirmOptions): Endpoint[] {
  const root = '/v1/payment_intents';
  return [
    endpoint('POST', root, creation, async (work, input) =>
      expandResponse(work, await create(work, input, options), input.expand),
    ),
    endpoint('POST', `${root}/:id/confirm`, confirmation, async (work, input, id) => {
      const response = await confirmIntent(work, await findIntent(work, id), input, options);
      return expandResponse(work, response, input.expand);
    }),
    endpoint('POST', `${root}/:id/cancel`, cancellation, async (work, input, id) =>
      expandResponse(work, await cancelIntent(work, id, input.cancellation_reason), input.expand),
    ),
    endpoint('GET', `${root}/search`, searchParameters, async (work, input) =>
      ok(await searchIntents(work, input)),
    ),
    endpoint('GET', `${root}/:id`, retrieval, async (work, input, id) => {
      const intent = await findIntent(work, id);
      if (input.client_secret !== undefined && input.client_secret !== intent.client_secret) {
        throw invalidRequest(WRONG_CLIENT_SECRET, { param: 'client_secret' });
      }
      return expandResponse(work, ok(intentObject(intent)), input.expand);
    }),
    endpoint('GET', root, listing, async (work, input) => {
      const page = await selectPage<IntentRow>(work, 'payment_intents', new Conditions(), input);
      const data = await expandData(work, page.rows.map(intentObject), input.expand);
      return ok(listObject(root, data, page.hasMore));
    }),
  ];
}

async function create(
  work: Work,
  input: z.output<typeof creation>,
  options: ConfirmOptions,
): Promise<ApiResponse> {
  checkVersion(input, work.apiVersion);
  if (input.payment_method !== undefined) requireCard(input.payment_method);
  const intent = insertIntent(work, {
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
    statement_descriptor: null,
    statement_descriptor_suffix: input.statement_descriptor_suffix ?? null,
    return_url: input.return_url ?? null,
  });
  recordEvent(work, 'payment_intent.created', intentObject(intent), intent);
  return input.confirm ? confirmIntent(work, intent, input, options) : ok(intentObject(intent));
}

// Since 2023 Stripe enables automatic payment methods unless the caller names the types.
function automatic(input: z.output<typeof creation>): IntentRow['automatic_payment_methods'] {
  if (input.payment_method_types) return null;
  const { enabled, allow_redirects } = input.automatic_payment_methods ?? { enabled: true };
  return enabled ? { enabled, allow_redirects: allow_redirects ?? 'always' } : null;
}
