import { providerCalls } from '#payments/index.ts';
import { currencyCodes } from '#payments/money.ts';
import { operationNames as operations } from '#payments/operations/copy.ts';
import { heartbeatTimeoutMs } from '#queue/index.ts';

/**
 * Every metric, once. What is not listed here cannot be counted, and the dashboard and the alert rules may name nothing
 * else. Labels hold kinds, never ids: not of an operation, not of a tenant. The listed label values are exported as
 * zero before they first occur, because Prometheus sees no increase from an absent series to one, and a rule that compares
 * with an absent series never fires. Of the providers only the one in use is exported.
 */
const sources = ['webhook', 'poller', 'operator'] as const;

const second = 1;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

export const counters = {
  paidonce_reserve_total: {
    help: 'Requests by the outcome of the reservation.',
    labels: {
      operation: operations,
      outcome: ['created', 'replay', 'in_progress', 'key_misuse', 'failed_retry', 'unknown', 'expired'],
    },
  },
  paidonce_store_errors_total: {
    help: 'Requests for which the idempotency store could not be reached.',
    labels: { operation: operations },
  },
  paidonce_handler_errors_total: {
    help: 'Handlers that threw instead of returning a verdict.',
    labels: { operation: operations },
  },
  paidonce_provider_rejections_total: {
    help: 'Requests that the provider refused as we sent them, by what was asked of it. A bug or a configuration of ours.',
    labels: { call: providerCalls },
  },
  paidonce_zombie_keys_total: {
    help: 'Leases that expired, by who found them.',
    labels: { found_by: ['request', 'sweeper', 'reconciliation'] },
  },
  paidonce_stale_owner_writes_refused_total: {
    help: 'Writes of an owner that had been superseded. Fencing at work.',
    labels: { operation: operations },
  },
  paidonce_pruned_rows_total: {
    help: 'Idempotency records aged by the reaper, by step.',
    labels: { kind: ['purge_body', 'expire', 'delete'] },
  },
  paidonce_reconcile_scheduled_total: {
    help: 'Operations whose outcome became unknown, by who marked them.',
    labels: { operation: operations, by: ['owner', 'request', 'sweeper', 'reconciliation'] },
  },
  paidonce_reconcile_resolved_total: {
    help: 'Operations that reconciliation resolved.',
    labels: { operation: operations, source: sources, verdict: ['completed', 'released'] },
  },
  paidonce_reconcile_failed_total: {
    help: 'Checks without a definitive result, and expired leases that the sweeper failed to end.',
    labels: { operation: operations, source: [...sources, 'sweeper'] },
  },
  paidonce_reconcile_exhausted_total: {
    help: 'Operations whose scheduled checks were used up and that wait for an operator.',
    labels: { operation: operations },
  },
  paidonce_events_missed_total: {
    help: "Events that had no webhook within minutes and were taken from the provider's list, by whether they say anything new.",
    labels: { result: ['stored', 'nothing_new'] },
  },
  paidonce_duplicate_charges_prevented_total: {
    help: 'Payment requests that would have charged again: replayed, joined to a running twin, held while the outcome was unknown, or refused because the reference was taken.',
    labels: { by: ['replay', 'joined', 'held', 'reference'] },
  },
} as const satisfies Record<string, Metric>;

export const histograms = {
  paidonce_time_to_resolve_seconds: {
    help: 'From an outcome becoming unknown to its resolution, by source.',
    labels: { operation: operations, source: sources },
    // Fine where a shopper is waiting, coarse where only the schedule is.
    buckets: [
      ...[0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30],
      ...[minute, 5 * minute, 15 * minute, hour, 6 * hour, day, 4 * day],
    ],
  },
} as const satisfies Record<string, Metric & { buckets: readonly number[] }>;

export const gauges = {
  paidonce_in_progress_oldest_age_seconds: { help: 'Age of the oldest attempt that is being executed.' },
  // By operation, because the same age differs in meaning: a payment unknown for a day is an incident, a refund is not.
  paidonce_unknown_operations: {
    help: 'Operations whose outcome is unknown.',
    labels: { operation: operations },
  },
  paidonce_unknown_oldest_age_seconds: {
    help: 'For how long the oldest unknown has been unknown.',
    labels: { operation: operations },
  },
  paidonce_unknown_amount_minor: {
    help: 'Money of unknown outcome, in minor units.',
    labels: { operation: operations, currency: currencyCodes },
  },
  paidonce_operators_queue_size: { help: 'Unknown operations that wait for an operator.' },
  paidonce_charges_without_payment: {
    help: 'Charges at the provider without a completed payment here. Must read 0 when nothing is in progress.',
  },
  paidonce_payments_without_charge: {
    help: 'Completed payments here without a charge at the provider. Must always read 0.',
  },
  paidonce_exceptions_open: {
    help: 'Reconciliation exceptions that wait for a decision.',
  },
  paidonce_circuit_state: {
    help: 'Whether the provider is asked: 0 closed (yes), 1 half open, 2 open (no).',
    labels: { provider: ['stripe', 'sandbox'] },
  },
  paidonce_provider_pause_seconds: {
    help: 'What is left of the pause that the provider asked for; 0 when it has not asked for one.',
    labels: { provider: ['stripe', 'sandbox'] },
  },
  paidonce_webhook_inbox_unprocessed: { help: 'Webhooks that were stored and not yet processed.' },
  paidonce_webhook_inbox_oldest_age_seconds: { help: 'Age of the oldest webhook not yet processed.' },
  paidonce_jobs_ready: { help: 'Outbox and inbox jobs whose time has come and that no worker has taken.' },
  paidonce_workers_alive: {
    help: `Workers with a heartbeat in the last ${heartbeatTimeoutMs / 1_000} seconds.`,
  },
  paidonce_comparison_age_seconds: {
    help: 'How long payments have waited for a replaced database to be compared with the provider; 0 when they do not.',
  },
  paidonce_worker_heartbeat_age_seconds: { help: 'Time since the last heartbeat of any worker.' },
} as const satisfies Record<string, Metric>;

export interface Metric {
  readonly help: string;
  readonly labels?: Readonly<Record<string, readonly string[]>>;
}

export type CounterName = keyof typeof counters;
export type HistogramName = keyof typeof histograms;
export type GaugeName = keyof typeof gauges;

/** Exactly the labels that a metric declares. Their values are open: a new one is exported when it first occurs. */
export type LabelsOf<Entry> = Entry extends { labels: infer Labels }
  ? { readonly [name in keyof Labels]: string }
  : Record<never, never>;
