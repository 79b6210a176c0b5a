import { seconds, type Work } from '../http/response.ts';
import { inTransaction, onlyRow, type Pool } from '../store/database.ts';
import { newId } from '../store/ids.ts';

export interface WebhookEndpointRow {
  id: string;
  sequence: number;
  url: string;
  secret: string;
  enabled_events: string[];
  description: string | null;
  metadata: Record<string, string>;
  api_version: string | null;
  created: number;
}

export type NewWebhookEndpoint = Omit<WebhookEndpointRow, 'id' | 'sequence' | 'created'>;

export async function insertWebhookEndpoint(
  work: Pick<Work, 'tx' | 'nowMs'>,
  fields: NewWebhookEndpoint,
): Promise<WebhookEndpointRow> {
  const { rows } = await work.tx.query<WebhookEndpointRow>(
    `INSERT INTO webhook_endpoints (id, url, secret, enabled_events, description, metadata, api_version, created)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING *`,
    [
      newId('we'),
      fields.url,
      fields.secret,
      fields.enabled_events,
      fields.description,
      JSON.stringify(fields.metadata),
      fields.api_version,
      seconds(work),
    ],
  );
  return onlyRow(rows);
}

// Any constant works that differs from the lock of the migrations.
const REGISTRATION_LOCK = 42_424_243;

/**
 * Registers the endpoint that the settings name. It is looked up by URL, so that a restart neither registers it twice nor
 * loses its deliveries; the lock does the same for two sandboxes that start at once.
 */
export async function registerFromSettings(
  pool: Pool,
  webhook: { url: string; secret: string },
  nowMs: number,
): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [REGISTRATION_LOCK]);
    const { rowCount } = await tx.query('UPDATE webhook_endpoints SET secret = $2 WHERE url = $1', [
      webhook.url,
      webhook.secret,
    ]);
    if (rowCount !== 0) return;
    const fields = { ...webhook, enabled_events: ['*'], description: null, metadata: {}, api_version: null };
    await insertWebhookEndpoint({ tx, nowMs }, fields);
  });
}

/** Without the secret, which Stripe returns only when the endpoint is created. */
export function webhookEndpointObject(row: WebhookEndpointRow) {
  return {
    id: row.id,
    object: 'webhook_endpoint' as const,
    api_version: row.api_version,
    application: null,
    created: row.created,
    description: row.description,
    enabled_events: row.enabled_events,
    livemode: false,
    metadata: row.metadata,
    status: 'enabled' as const,
    url: row.url,
  };
}
