/*
 * The sandbox's schema, in order. An applied migration is never edited, only followed by another.
 *
 * Times called `created` are Stripe's: whole epoch seconds of the sandbox clock. Times ending in `_ms` are epoch
 * milliseconds of the sandbox clock. Only `leased_until` is wall time, because a lease is about a running process.
 * Every object has a `sequence`: ids are random, and several objects share one second, so lists are ordered by it.
 */
export const MIGRATIONS: ReadonlyArray<{ name: string; sql: string }> = [
  {
    name: '001_payments',
    sql: `
      CREATE TABLE payment_intents (
        id                    text PRIMARY KEY,
        sequence              bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
        client_secret         text NOT NULL,
        status                text NOT NULL CHECK (status IN ('requires_payment_method', 'requires_confirmation',
                                'requires_action', 'processing', 'succeeded', 'canceled')),
        amount                bigint NOT NULL CHECK (amount > 0),
        currency              text NOT NULL CHECK (currency ~ '^[a-z]{3}$'),
        payment_method        text,
        payment_method_types  text[] NOT NULL,
        automatic_payment_methods json,
        capture_method        text NOT NULL,
        metadata              jsonb NOT NULL,
        description           text,
        receipt_email         text,
        statement_descriptor  text,
        statement_descriptor_suffix text,
        return_url            text,
        next_action           json,
        last_payment_error    json,
        latest_charge         text,
        canceled_at           bigint,
        cancellation_reason   text,
        settles_at_ms         bigint,
        created               bigint NOT NULL
      );
      CREATE INDEX ON payment_intents USING gin (metadata jsonb_path_ops);
      CREATE INDEX ON payment_intents (settles_at_ms) WHERE status = 'processing';

      CREATE TABLE charges (
        id              text PRIMARY KEY,
        sequence        bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
        payment_intent  text NOT NULL REFERENCES payment_intents,
        status          text NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed')),
        amount          bigint NOT NULL CHECK (amount > 0),
        amount_refunded bigint NOT NULL DEFAULT 0 CHECK (amount_refunded BETWEEN 0 AND amount),
        currency        text NOT NULL,
        payment_method  text NOT NULL,
        metadata        jsonb NOT NULL,
        description     text,
        receipt_email   text,
        statement_descriptor text,
        statement_descriptor_suffix text,
        authenticated   boolean NOT NULL,
        failure         json,
        created         bigint NOT NULL
      );
      CREATE INDEX ON charges (payment_intent);
      -- An intent is charged once, even if the code above has a bug.
      CREATE UNIQUE INDEX one_live_charge_per_intent ON charges (payment_intent) WHERE status <> 'failed';

      CREATE TABLE refunds (
        id             text PRIMARY KEY,
        sequence       bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
        charge         text NOT NULL REFERENCES charges,
        payment_intent text NOT NULL REFERENCES payment_intents,
        amount         bigint NOT NULL CHECK (amount > 0),
        currency       text NOT NULL,
        reason         text,
        metadata       jsonb NOT NULL,
        created        bigint NOT NULL
      );
      CREATE INDEX ON refunds (charge);
      CREATE INDEX ON refunds (payment_intent);
    `,
  },
  {
    name: '002_idempotency',
    sql: `
      CREATE TABLE idempotency_keys (
        key              text PRIMARY KEY,
        endpoint         text NOT NULL,
        fingerprint      text NOT NULL,
        original_request text NOT NULL,
        status           integer NOT NULL,
        -- Text, not json: a replay is the same bytes.
        body             text NOT NULL,
        resets_left      integer NOT NULL,
        created_ms       bigint NOT NULL
      );
      CREATE TABLE struck_faults (
        key        text PRIMARY KEY,
        created_ms bigint NOT NULL
      );
    `,
  },
  {
    name: '003_events',
    sql: `
      CREATE TABLE webhook_endpoints (
        id             text PRIMARY KEY,
        sequence       bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
        url            text NOT NULL,
        secret         text NOT NULL,
        enabled_events text[] NOT NULL,
        description    text,
        metadata       jsonb NOT NULL,
        api_version    text,
        created        bigint NOT NULL
      );
      CREATE TABLE events (
        id              text PRIMARY KEY,
        sequence        bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
        type            text NOT NULL,
        api_version     text NOT NULL,
        payment_intent  text NOT NULL,
        object          json NOT NULL,
        request         text,
        idempotency_key text,
        created         bigint NOT NULL
      );
      CREATE INDEX ON events (payment_intent);
      CREATE TABLE webhook_deliveries (
        id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        event           text NOT NULL REFERENCES events,
        endpoint        text NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
        status          text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'exhausted')),
        attempts        integer NOT NULL DEFAULT 0,
        held            boolean NOT NULL DEFAULT false,
        last_result     text,
        due_ms          bigint NOT NULL,
        leased_until    timestamptz,
        created_ms      bigint NOT NULL
      );
      CREATE INDEX ON webhook_deliveries (event);
      CREATE INDEX ON webhook_deliveries (due_ms) WHERE status = 'pending';
    `,
  },
  {
    name: '004_switches',
    sql: `
      CREATE TABLE switches (
        only_row        boolean PRIMARY KEY DEFAULT true CHECK (only_row),
        outage          text CHECK (outage IN ('refuse', '503', 'hang')),
        latency_ms      integer NOT NULL DEFAULT 0,
        webhooks_on     boolean NOT NULL DEFAULT true,
        clock_offset_ms bigint NOT NULL DEFAULT 0
      );
      INSERT INTO switches DEFAULT VALUES;
    `,
  },
  {
    name: '005_allowed_types_and_pruning',
    // Databases made by an earlier version have both already, hence the "if not exists".
    sql: `
      ALTER TABLE payment_intents ADD COLUMN IF NOT EXISTS allowed_payment_method_types text[];
      CREATE INDEX IF NOT EXISTS idempotency_keys_created_ms_idx ON idempotency_keys (created_ms);
    `,
  },
  {
    name: '006_silences',
    sql: `
      CREATE TABLE silences (
        reference text PRIMARY KEY,
        until_ms  bigint NOT NULL
      );
    `,
  },
  {
    name: '007_refunds_that_fail',
    sql: `
      ALTER TABLE refunds ADD COLUMN status text NOT NULL DEFAULT 'succeeded'
        CHECK (status IN ('succeeded', 'failed'));
    `,
  },
  {
    name: '008_finishes_at',
    sql: 'ALTER TABLE payment_intents RENAME COLUMN settles_at_ms TO finishes_at_ms;',
  },
  {
    name: '009_injected_faults',
    sql: 'ALTER TABLE struck_faults RENAME TO injected_faults;',
  },
  {
    name: '010_versions',
    // A commit compares the version that was read. No index mentions a column that a confirm changes, so that the update
    // stays within its page (HOT) and touches no index.
    sql: `
      ALTER TABLE payment_intents ADD COLUMN version integer NOT NULL DEFAULT 1;
      ALTER TABLE charges ADD COLUMN version integer NOT NULL DEFAULT 1;
      ALTER TABLE refunds ADD COLUMN version integer NOT NULL DEFAULT 1;
      DROP INDEX IF EXISTS payment_intents_settles_at_ms_idx;
      CREATE INDEX payment_intents_finishes_at_ms_idx ON payment_intents (finishes_at_ms)
        WHERE finishes_at_ms IS NOT NULL;
      ALTER TABLE payment_intents SET (fillfactor = 70);
      CREATE INDEX webhook_deliveries_held_idx ON webhook_deliveries (event) WHERE held;
    `,
  },
  {
    name: '011_updates',
    sql: `
      ALTER TABLE charges ADD COLUMN capture_method text NOT NULL DEFAULT 'automatic_async';
      ALTER TABLE refunds ADD COLUMN failure_reason text;
      ALTER TABLE events ADD COLUMN previous_attributes json;
    `,
  },
];
