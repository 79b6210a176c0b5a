import type { EngineEvent, RetentionStep } from '#idempotency/index.ts';
import { findKind, isExpectedRejection, type ProviderCall } from '#payments/index.ts';
import type { DueEvent, EventListParts, ReconcileEvent } from '#reconciliation/index.ts';
import type { Counters } from './counters.ts';

/** Counts the events of the modules. There is one observer for each module. */
export interface Observers {
  engine(event: EngineEvent): void;
  reconciler(event: ReconcileEvent): void;
  dueWork(event: DueEvent): void;
  providerCall(call: ProviderCall): void;
  eventsMissed: EventListParts['onMissed'];
  reaped(rows: Readonly<Record<RetentionStep, number>>): void;
}

const prevented = { replay: 'replay', in_progress: 'joined', unknown: 'held' } as const;

export function createObservers({ add, observe }: Counters): Observers {
  /** An expired lease always counts as a zombie key, and as an unknown outcome unless no effect had been sent. */
  function leaseExpired(operation: string, by: 'request' | 'sweeper' | 'reconciliation', to: string): void {
    add('paidonce_zombie_keys_total', { found_by: by });
    if (to === 'unknown') add('paidonce_reconcile_scheduled_total', { operation, by });
  }

  return {
    engine(event) {
      const { operation } = event;
      switch (event.kind) {
        case 'reserve': {
          const { outcome } = event;
          add('paidonce_reserve_total', { operation, outcome });
          const by = outcome in prevented ? prevented[outcome as keyof typeof prevented] : undefined;
          if (by && findKind(operation)?.metrics.duplicateCharge) {
            add('paidonce_duplicate_charges_prevented_total', { by });
          }
          return;
        }
        case 'attempt_ended':
          if (event.verdict === 'unknown') {
            add('paidonce_reconcile_scheduled_total', { operation, by: 'owner' });
          }
          if (findKind(operation)?.metrics.duplicateCharge?.refusedAs.includes(event.cause)) {
            add('paidonce_duplicate_charges_prevented_total', { by: 'reference' });
          }
          return;
        case 'lease_expired':
          return leaseExpired(operation, 'request', event.to);
        case 'stale_write_refused':
          return add('paidonce_stale_owner_writes_refused_total', { operation });
        case 'store_error':
          return add('paidonce_store_errors_total', { operation });
        case 'handler_error':
          return add('paidonce_handler_errors_total', { operation });
      }
    },
    reconciler(event) {
      const { operation } = event;
      if (event.kind === 'lease_expired') return leaseExpired(operation, 'reconciliation', event.to);
      const { source } = event;
      if (event.kind === 'unresolved') return add('paidonce_reconcile_failed_total', { operation, source });
      add('paidonce_reconcile_resolved_total', { operation, source, verdict: event.verdict });
      if (event.unknownForMs !== undefined) {
        observe('paidonce_time_to_resolve_seconds', { operation, source }, event.unknownForMs / 1_000);
      }
    },
    dueWork(event) {
      if (event.kind === 'swept') leaseExpired(event.operation, 'sweeper', event.to);
      if (event.kind === 'check_failed') {
        add('paidonce_reconcile_failed_total', { operation: event.operation, source: event.source });
      }
      if (event.kind === 'exhausted') {
        add('paidonce_reconcile_exhausted_total', { operation: event.operation });
      }
    },
    providerCall({ call, outcome, code }) {
      if (outcome === 'rejected' && !isExpectedRejection(code))
        add('paidonce_provider_rejections_total', { call });
    },
    eventsMissed(events) {
      for (const [result, count] of Object.entries(events))
        add('paidonce_events_missed_total', { result }, count);
    },
    reaped(rows) {
      for (const [kind, count] of Object.entries(rows)) add('paidonce_pruned_rows_total', { kind }, count);
    },
  };
}
