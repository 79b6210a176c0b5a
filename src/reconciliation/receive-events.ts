import { type OperationRef, StoreUnavailable } from '#idempotency/index.ts';
import { createBatch, type SqlDriver } from '#idempotency/stores/postgres.ts';
import { sqlState } from '#idempotency/stores/prisma.ts';
import { essentialJson, stripeEventColumns, uninformativeType } from '#payments/index.ts';
import { addJobSql } from '#queue/index.ts';
import { eventOutcomes, isKnown } from './known-events.ts';
import { providerEventPriority, providerEventTask } from './provider-events.ts';

/** A webhook whose signature and age have been checked. */
export interface VerifiedEvent {
  readonly provider: 'stripe' | 'sandbox';
  readonly eventId: string;
  readonly type: string;
  /** From our own metadata on the provider's object; undefined when there is none. */
  readonly operation: OperationRef | undefined;
  /** As it arrived. */
  readonly payload: string;
}

export type Received =
  /** The worker has a job to process it. */
  | 'stored'
  /** It says what our books say, or is not about anything of ours: there is nothing to process. */
  | 'nothing_new'
  | 'duplicate';

/**
 * Stores an event before its webhook is acknowledged, with the job that processes it. An event that says what our own row
 * says already, which is what most events do, is finished by the same statement, without a job. Events that arrive at the
 * same time share a statement. A second delivery changes nothing.
 */
export function createEventReceiver(
  driver: Pick<SqlDriver<never>, 'query' | 'isUnavailable'>,
): (event: VerifiedEvent) => Promise<Received> {
  const batch = createBatch<VerifiedEvent, Received>({
    async execute(events) {
      const rows = await driver.query<{ provider: string; event_id: string; status: string }>({
        name: 'receive events',
        text: receiveSql,
        values: valuesOf(events),
      });
      const statuses = new Map(rows.map((row) => [nameOf(row.provider, row.event_id), row.status]));
      return events.map((event) => receivedAs(statuses.get(nameOf(event.provider, event.eventId))));
    },
    nameOf: ({ provider, eventId }) => nameOf(provider, eventId),
    tenantOf: ({ operation }) => operation?.tenantId ?? '',
    isShared: () => true,
    isRowError: (error) => !driver.isUnavailable(error),
    overloaded: () => new StoreUnavailable(new Error('Too many events wait for the database.')),
  });
  return (event) =>
    batch.run(event).catch((error: unknown) => {
      if (!isUnstorable(error)) throw error;
      return batch.run({ ...event, payload: essentialJson(JSON.parse(event.payload)) });
    });
}

/** JSON that PostgreSQL has no room for, in a number or in depth. */
function isUnstorable(error: unknown): boolean {
  return /^(22|54)/.test(sqlState(error) ?? '');
}

function nameOf(provider: string, eventId: string): string {
  return `${provider} ${eventId}`;
}

/** Undefined: there is such an event already, and the statement stored nothing. */
function receivedAs(status: string | undefined): Received {
  if (status === undefined) return 'duplicate';
  return status === 'received' ? 'stored' : 'nothing_new';
}

const columns = {
  provider: 'text',
  event_id: 'text',
  type: 'text',
  tenant_id: 'text',
  operation_id: 'uuid',
  // As jsonb, so that it is parsed once: the statement reads several of its fields.
  payload: 'jsonb',
} as const;

const receiveSql = `
  WITH received AS (
    SELECT * FROM unnest(${Object.values(columns)
      .map((type, index) => `$${index + 1}::${type}[]`)
      .join(', ')}) AS received (${Object.keys(columns).join(', ')})),
  given AS (SELECT received.*, ${stripeEventColumns('payload')} FROM received),
  assessed AS (
    SELECT given.*,
      CASE
        -- A refund that was made in the provider's dashboard has no metadata; its payment may be one of ours.
        WHEN operation_id IS NULL AND NOT (object IS NOT DISTINCT FROM 'refund' AND intent_id IS NOT NULL)
          THEN '${eventOutcomes.notOurs}'
        WHEN type = '${uninformativeType}' THEN '${eventOutcomes.uninformative}'
        WHEN ${isKnown} THEN '${eventOutcomes.known}'
      END AS outcome
    FROM given),
  stored AS (
    INSERT INTO provider_event
      (provider, event_id, type, tenant_id, operation_id, payload, status, outcome, processed_at)
    SELECT provider, event_id, type, tenant_id, operation_id, payload,
      CASE WHEN outcome IS NULL THEN 'received' WHEN operation_id IS NULL THEN 'ignored' ELSE 'processed' END,
      outcome, CASE WHEN outcome IS NOT NULL THEN statement_timestamp() END
    FROM assessed ORDER BY provider, event_id
    ON CONFLICT (provider, event_id) DO NOTHING
    RETURNING id, provider, event_id, status),
  enqueued AS (
    SELECT ${addJobSql({
      task: providerEventTask,
      payload: `json_build_object('id', id)`,
      key: `'${providerEventTask}:' || id`,
      priority: providerEventPriority,
    })}
    FROM stored WHERE status = 'received')
  -- The count is what makes PostgreSQL evaluate the jobs.
  SELECT provider, event_id, status FROM stored, (SELECT count(*) FROM enqueued) AS jobs`;

function valuesOf(events: readonly VerifiedEvent[]): unknown[][] {
  const rows = events.map(({ provider, eventId, type, operation, payload }) => {
    return {
      provider,
      event_id: eventId,
      type,
      tenant_id: operation?.tenantId ?? null,
      operation_id: operation?.id ?? null,
      payload,
    } satisfies Record<keyof typeof columns, unknown>;
  });
  const names = Object.keys(columns) as (keyof typeof columns)[];
  return names.map((name) => rows.map((row) => row[name]));
}
