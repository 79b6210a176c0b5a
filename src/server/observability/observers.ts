import type { EngineEvent, Reaping } from '#idempotency/index.ts';
import { createPaymentOperation, type ProviderCall, paymentProblems } from '#payments/index.ts';
import type { DueEvent, ReconcileEvent } from '#reconciliation/index.ts';
import type { Counters } from './counters.ts';

/** What the parts tell, as counts. One observer for each kind of teller. */
export interface Observers {
  engine(event: EngineEvent): void;
  reconciler(event: ReconcileEvent): void;
  dueWork(event: DueEvent): void;
  providerCall(call: ProviderCall): void;
  reaped(rows: Readonly<Record<Reaping, number>>): void;
}

const prevented = { replay: 'replay', in_progress: 'joined', unknown: 'held' } as const;
const referenceTaken = paymentProblems.payment_exists_for_reference.code;

export function createObservers({ add, observe }: Counters): Observers {
  /** A record whose owner was silent: always a zombie, and an unknown unless nothing had been sent. */
  function doubted(operation: string, by: 'request' | 'sweeper' | 'reconciliation', to: string): void {
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
          if (by && operation === createPaymentOperation.name) {
            add('paidonce_duplicate_charges_prevented_total', { by });
          }
          return;
        }
        case 'ended':
          if (event.as === 'unknown') add('paidonce_reconcile_scheduled_total', { operation, by: 'owner' });
          if (event.cause === referenceTaken) {
            add('paidonce_duplicate_charges_prevented_total', { by: 'reference' });
          }
          return;
        case 'zombie_key':
          return doubted(operation, 'request', event.to);
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
      if (event.kind === 'doubted') return doubted(operation, 'reconciliation', event.to);
      const { source } = event;
      if (event.kind === 'unresolved') return add('paidonce_reconcile_failed_total', { operation, source });
      add('paidonce_reconcile_resolved_total', { operation, source, verdict: event.verdict });
      if (event.unknownForMs !== undefined) {
        observe('paidonce_time_to_truth_seconds', { operation, source }, event.unknownForMs / 1_000);
      }
    },
    dueWork(event) {
      if (event.kind === 'swept') doubted(event.operation, 'sweeper', event.to);
      if (event.kind === 'look_failed') {
        add('paidonce_reconcile_failed_total', { operation: event.operation, source: event.source });
      }
      if (event.kind === 'exhausted') {
        add('paidonce_reconcile_exhausted_total', { operation: event.operation });
      }
    },
    providerCall({ call, outcome }) {
      if (outcome === 'rejected') add('paidonce_provider_rejections_total', { call });
    },
    reaped(rows) {
      for (const [kind, count] of Object.entries(rows)) add('paidonce_pruned_rows_total', { kind }, count);
    },
  };
}
