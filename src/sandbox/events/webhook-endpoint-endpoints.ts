import { z } from 'zod';
import { noSuch } from '../http/api-error.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { expandOf, expandOfList } from '../http/expand.ts';
import { Conditions, listObject, listParameters, selectPage } from '../http/list.ts';
import { list, metadata, parameters, text, url } from '../http/parameters.ts';
import { ok, seconds, type Work } from '../http/response.ts';
import { newWebhookSecret } from '../store/ids.ts';
import { isVersion } from '../versions.ts';
import { allEventNames } from './event-names.ts';
import { newWebhookEndpoint, type WebhookEndpointRow, webhookEndpointObject } from './webhook-endpoint.ts';

const creation = parameters(
  {
    url: url.refine((address) => /^https?:/.test(address), 'Invalid URL: URL must be http or https.'),
    enabled_events: list(z.enum(allEventNames)),
    description: text.optional(),
    metadata: metadata.optional(),
    api_version: text
      .refine(isVersion, { error: ({ input }) => `Invalid Stripe API version: ${String(input)}` })
      .optional(),
    expand: expandOf(null),
  },
  ['connect'],
);
const retrieval = parameters({ expand: expandOf(null) });

const root = '/v1/webhook_endpoints';

export const webhookEndpointEndpoints: Endpoint[] = [
  endpoint('POST', root, creation, async (work, input) => {
    const fields = {
      url: input.url,
      secret: newWebhookSecret(),
      enabled_events: input.enabled_events,
      description: input.description ?? null,
      metadata: input.metadata ?? {},
      api_version: input.api_version ?? null,
    };
    const row = newWebhookEndpoint(fields, seconds(work));
    work.changes.endpoints.push(row);
    return ok({ ...webhookEndpointObject(row), secret: row.secret });
  }),
  endpoint('GET', `${root}/:id`, retrieval, async (work, _input, id) =>
    ok(webhookEndpointObject(await find(work, id))),
  ),
  endpoint(
    'GET',
    root,
    parameters({ ...listParameters, expand: expandOfList(null) }),
    async (work, input) => {
      const page = await selectPage<WebhookEndpointRow>(work, 'webhook_endpoints', new Conditions(), input);
      return ok(listObject(root, page.rows.map(webhookEndpointObject), page.hasMore));
    },
  ),
  endpoint('DELETE', `${root}/:id`, retrieval, async (work, _input, id) => {
    await find(work, id);
    await work.db.query('DELETE FROM webhook_endpoints WHERE id = $1', [id]);
    return ok({ id, object: 'webhook_endpoint', deleted: true });
  }),
];

async function find(work: Work, id: string): Promise<WebhookEndpointRow> {
  const { rows } = await work.db.query<WebhookEndpointRow>('SELECT * FROM webhook_endpoints WHERE id = $1', [
    id,
  ]);
  const found = rows[0];
  if (!found) throw noSuch('webhook endpoint', id, 'id');
  return found;
}
