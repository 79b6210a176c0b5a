import type { Store } from '../http/idempotency.ts';
import { seconds } from '../http/response.ts';
import type { Settings } from '../settings.ts';
import { Changes } from '../store/changes.ts';
import { inTransaction } from '../store/database.ts';
import { newId } from '../store/ids.ts';

export interface WebhookEndpointRow {
  id: string;
  /** Assigned by the database. */
  sequence?: number;
  url: string;
  secret: string;
  enabled_events: string[];
  description: string | null;
  metadata: Record<string, string>;
  api_version: string | null;
  created: number;
}

export type NewWebhookEndpoint = Omit<WebhookEndpointRow, 'id' | 'sequence' | 'created'>;

export function newWebhookEndpoint(fields: NewWebhookEndpoint, created: number): WebhookEndpointRow {
  return { id: newId('we'), created, ...fields };
}

// Any constant works that differs from the lock of the migrations.
const REGISTRATION_LOCK = 42_424_243;

const fromSettings = { registered_by: 'settings' };

/**
 * Registers the endpoint that the settings name. There is one of these: a restart neither registers it twice nor loses its
 * deliveries, and one with another URL does not leave the old one behind, which another program may listen at by then. The lock
 * does the same for two sandboxes that start at once.
 */
export async function registerFromSettings(
  { pool, committer }: Store,
  { url, secret, events = ['*'] }: NonNullable<Settings['webhook']>,
  nowMs: number,
): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [REGISTRATION_LOCK]);
    const { rowCount } = await tx.query(
      `UPDATE webhook_endpoints SET url = $1, secret = $2, enabled_events = $3, metadata = $4
       WHERE id = (SELECT id FROM webhook_endpoints WHERE url = $1 OR metadata = $4 ORDER BY url = $1 DESC LIMIT 1)`,
      [url, secret, events, fromSettings],
    );
    if (rowCount !== 0) return;
    const fields = {
      ...{ url, secret, enabled_events: events },
      ...{ description: null, metadata: fromSettings, api_version: null },
    };
    const changes = new Changes();
    changes.endpoints.push(newWebhookEndpoint(fields, seconds({ nowMs })));
    await committer.commitIn(tx, changes);
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
