import { z } from 'zod';
import { noSuch } from '../http/api-error.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { Conditions, listObject, listParameters, selectPage } from '../http/list.ts';
import { expand, list, metadata, noParameters, text } from '../http/parameters.ts';
import { ok, type Work } from '../http/response.ts';
import { newWebhookSecret } from '../store/ids.ts';
import { insertWebhookEndpoint, type WebhookEndpointRow, webhookEndpointObject } from './webhook-endpoint.ts';

const creation = z.strictObject({
  url: z.url({
    protocol: /^https?$/,
    error: 'Invalid URL: an explicit scheme (such as https) must be provided.',
  }),
  enabled_events: list(text),
  description: text.optional(),
  metadata: metadata.optional(),
  api_version: text.optional(),
  expand,
});

const root = '/v1/webhook_endpoints';

export const webhookEndpointEndpoints: Endpoint[] = [
  endpoint('POST', root, creation, async (work, input) => {
    const row = await insertWebhookEndpoint(work, {
      url: input.url,
      secret: newWebhookSecret(),
      enabled_events: input.enabled_events,
      description: input.description ?? null,
      metadata: input.metadata ?? {},
      api_version: input.api_version ?? null,
    });
    return ok({ ...webhookEndpointObject(row), secret: row.secret });
  }),
  endpoint('GET', `${root}/:id`, noParameters, async (work, _input, id) =>
    ok(webhookEndpointObject(await find(work, id))),
  ),
  endpoint('GET', root, z.strictObject(listParameters), async (work, input) => {
    const page = await selectPage<WebhookEndpointRow>(work, 'webhook_endpoints', new Conditions(), input);
    return ok(listObject(root, page.rows.map(webhookEndpointObject), page.hasMore));
  }),
  endpoint('DELETE', `${root}/:id`, noParameters, async (work, _input, id) => {
    await find(work, id);
    await work.tx.query('DELETE FROM webhook_endpoints WHERE id = $1', [id]);
    return ok({ id, object: 'webhook_endpoint', deleted: true });
  }),
];

async function find(work: Work, id: string): Promise<WebhookEndpointRow> {
  const { rows } = await work.tx.query<WebhookEndpointRow>('SELECT * FROM webhook_endpoints WHERE id = $1', [
    id,
  ]);
  const found = rows[0];
  if (!found) throw noSuch('webhook endpoint', id, 'id');
  return found;
}
