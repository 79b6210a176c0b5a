import { cellOf } from '#console/overview/duration-cells.ts';
import type { EngineEvent } from '#idempotency/index.ts';
import { findKind } from '#payments/index.ts';
import type { Prisma } from '#prisma';
import type { DueEvent, ReconcileEvent } from '#reconciliation/index.ts';
import { createTally } from './tally.ts';

/**
 * What happened to each tenant's operations, for the charts of its console. Counters for Prometheus know no tenants,
 * because labels must not grow with the customers; these rows may. Five minutes are fine enough for an hour's chart and
 * few enough to be kept for a quarter of a year: at most three hundred rows a day for each kind of event.
 *
 * Written like the counters: a process sums its events for a second and writes them in one statement, by the database's
 * clock. A process that is killed loses at most a second of counts, and only charts depend on them.
 */
export interface Activity {
  engine(event: EngineEvent): void;
  reconciler(event: ReconcileEvent): void;
  dueWork(event: DueEvent): void;
  flush(): Promise<void>;
}

export function createActivity(
  db: Pick<Prisma.TransactionClient, '$executeRaw'>,
  onError: (error: unknown) => void,
): Activity {
  const tally = createTally<{ tenantId: string; kind: string; leMs: number }>(
    (rows) => db.$executeRaw`
      INSERT INTO activity_bucket AS bucket (tenant_id, kind, le_ms, bucket_at, count)
      SELECT tenant_id, kind, le_ms, date_bin('5 minutes', clock_timestamp(), 'epoch'), count
      FROM unnest(${rows.map(({ what }) => what.tenantId)}::text[], ${rows.map(({ what }) => what.kind)}::text[],
        ${rows.map(({ what }) => what.leMs)}::int[], ${rows.map(({ sum }) => sum)}::int[])
        AS counted (tenant_id, kind, le_ms, count)
      ON CONFLICT (tenant_id, kind, bucket_at, le_ms) DO UPDATE SET count = bucket.count + excluded.count`,
    onError,
  );

  function add(tenantId: string, kind: string, leMs = 0): void {
    tally.add(`${tenantId} ${kind} ${String(leMs).padStart(10, '0')}`, { tenantId, kind, leMs }, 1);
  }

  function countUnknown(tenantId: string, status: string): void {
    if (status === 'unknown') add(tenantId, 'unknown');
  }

  return {
    engine(event) {
      const { tenantId } = event;
      switch (event.kind) {
        case 'reserve':
          switch (event.outcome) {
            case 'created': {
              const kind = findKind(event.operation);
              if (kind) add(tenantId, kind.metrics.activity);
              return;
            }
            case 'replay':
              return add(tenantId, 'replay');
            case 'in_progress':
            case 'unknown':
              return add(tenantId, 'held');
            case 'key_misuse':
              return add(tenantId, 'misuse');
            // Another attempt of an operation that was counted before.
            case 'failed_retry':
            case 'expired':
              return;
          }
          return;
        case 'attempt_ended':
          return countUnknown(tenantId, event.verdict);
        case 'lease_expired':
          return countUnknown(tenantId, event.to);
        case 'stale_write_refused':
        case 'store_error':
        case 'handler_error':
          return;
      }
    },
    reconciler(event) {
      if (event.kind === 'lease_expired') return countUnknown(event.tenantId, event.to);
      if (event.kind === 'resolved' && event.unknownForMs !== undefined) {
        add(event.tenantId, 'resolved', cellOf(event.unknownForMs));
      }
    },
    dueWork(event) {
      if (event.kind === 'swept') countUnknown(event.tenantId, event.to);
    },
    flush: tally.flush,
  };
}

/** Charts go back a quarter of a year. Usually there is nothing to delete, which an index shows. */
export async function pruneActivity(db: Pick<Prisma.TransactionClient, '$executeRaw'>): Promise<void> {
  await db.$executeRaw`DELETE FROM activity_bucket WHERE bucket_at < clock_timestamp() - interval '90 days'`;
}
