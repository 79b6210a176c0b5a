-- Payments, refunds, the ledger, the outbox and what reconciliation keeps. As in the engine's tables, tenant_id leads
-- every key. provider_event and provider_circuit are not split by tenant: the provider's ids are unique across tenants.

CREATE TABLE payment (
  tenant_id          text NOT NULL,
  id                 uuid NOT NULL,
  operation_id       uuid NOT NULL,
  reference          text COLLATE "C" NOT NULL,
  amount_minor       bigint NOT NULL,
  currency           text NOT NULL,
  payment_method     text NOT NULL,
  receipt_email      text,
  status             text NOT NULL,
  decline_code       text,
  generation         integer NOT NULL DEFAULT 1,
  provider_intent_id text,
  provider_charge_id text,
  card_brand         text,
  card_last4         text,
  next_action_url    text,
  refunded_minor     bigint NOT NULL DEFAULT 0,
  created_at         timestamptz NOT NULL DEFAULT now(),
  completed_at       timestamptz,
  asserted_at        timestamptz,
  CONSTRAINT payment_pkey PRIMARY KEY (tenant_id, id),
  CONSTRAINT payment_tenant_id_fkey FOREIGN KEY (tenant_id)
    REFERENCES organization (id) ON DELETE RESTRICT
);
CREATE INDEX payment_tenant_id_reference_idx
  ON payment (tenant_id, reference);
CREATE INDEX payment_tenant_id_provider_intent_id_idx
  ON payment (tenant_id, provider_intent_id);
CREATE INDEX payment_tenant_id_currency_status_amount_minor_operation_id_idx
  ON payment (tenant_id, currency, status, amount_minor, operation_id);
CREATE INDEX payment_tenant_id_status_created_at_id_idx
  ON payment (tenant_id, status, created_at, id);
CREATE UNIQUE INDEX payment_tenant_id_operation_id_key
  ON payment (tenant_id, operation_id);

ALTER TABLE payment
  ADD CONSTRAINT payment_status CHECK (status IN ('pending', 'succeeded', 'declined', 'released')),
  ADD CONSTRAINT payment_amount CHECK (amount_minor > 0),
  ADD CONSTRAINT payment_refunded CHECK (refunded_minor BETWEEN 0 AND amount_minor),
  ADD CONSTRAINT payment_refunded_paid CHECK (refunded_minor = 0 OR status = 'succeeded'),
  ADD CONSTRAINT payment_currency CHECK (currency ~ '^[a-z]{3}$'),
  ADD CONSTRAINT payment_completed CHECK ((status IN ('succeeded', 'declined')) = (completed_at IS NOT NULL)),
  ADD CONSTRAINT payment_declined CHECK ((status = 'declined') = (decline_code IS NOT NULL)),
  -- Booked as paid on an operator's assertion, which the provider has not confirmed so far.
  ADD CONSTRAINT payment_asserted CHECK (asserted_at IS NULL OR status = 'succeeded'),
  ADD CONSTRAINT payment_next_action CHECK (next_action_url IS NULL OR status = 'pending');

-- One live payment per reference, under any key: requests with different keys do not know of each other.
CREATE UNIQUE INDEX payment_one_live_per_reference ON payment (tenant_id, reference)
  WHERE status IN ('pending', 'succeeded');
CREATE INDEX payment_succeeded ON payment (completed_at) WHERE status = 'succeeded';
-- What a shopper quotes on the phone.
CREATE INDEX payment_charge ON payment (tenant_id, provider_charge_id) WHERE provider_charge_id IS NOT NULL;
CREATE INDEX payment_email ON payment (tenant_id, lower(receipt_email), created_at)
  WHERE receipt_email IS NOT NULL;
-- Few payments are refunded: without this index a list of them would read the paid ones.
CREATE INDEX payment_refunded_list ON payment (tenant_id, created_at, id) WHERE refunded_minor > 0;

CREATE FUNCTION refuse_payment_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'payment % is %: %', OLD.id, OLD.status, TG_ARGV[0];
END $$;

CREATE TRIGGER payment_final BEFORE UPDATE ON payment
  FOR EACH ROW WHEN (OLD.status IN ('succeeded', 'declined') AND NEW.status <> OLD.status)
  EXECUTE FUNCTION refuse_payment_change('which is final');

CREATE TRIGGER payment_command BEFORE UPDATE ON payment
  FOR EACH ROW WHEN (
    (NEW.tenant_id, NEW.operation_id, NEW.reference, NEW.amount_minor, NEW.currency, NEW.payment_method)
    IS DISTINCT FROM
    (OLD.tenant_id, OLD.operation_id, OLD.reference, OLD.amount_minor, OLD.currency, OLD.payment_method))
  EXECUTE FUNCTION refuse_payment_change('the command never changes');

CREATE TABLE refund (
  tenant_id          text NOT NULL,
  id                 uuid NOT NULL,
  payment_id         uuid NOT NULL,
  operation_id       uuid NOT NULL,
  reference          text COLLATE "C" NOT NULL,
  amount_minor       bigint NOT NULL,
  status             text NOT NULL,
  generation         integer NOT NULL DEFAULT 1,
  provider_refund_id text,
  created_at         timestamptz NOT NULL DEFAULT now(),
  completed_at       timestamptz,
  failed_at          timestamptz,
  asserted_at        timestamptz,
  CONSTRAINT refund_pkey PRIMARY KEY (tenant_id, id),
  CONSTRAINT refund_tenant_id_payment_id_fkey FOREIGN KEY (tenant_id, payment_id)
    REFERENCES payment (tenant_id, id) ON DELETE RESTRICT
);
CREATE INDEX refund_tenant_id_payment_id_idx
  ON refund (tenant_id, payment_id);
CREATE INDEX refund_tenant_id_status_amount_minor_operation_id_idx
  ON refund (tenant_id, status, amount_minor, operation_id);
CREATE INDEX refund_tenant_id_provider_refund_id_idx
  ON refund (tenant_id, provider_refund_id);
CREATE UNIQUE INDEX refund_tenant_id_operation_id_key
  ON refund (tenant_id, operation_id);

ALTER TABLE refund
  ADD CONSTRAINT refund_status CHECK (status IN ('pending', 'succeeded', 'released', 'failed')),
  ADD CONSTRAINT refund_amount CHECK (amount_minor > 0),
  ADD CONSTRAINT refund_completed CHECK ((status IN ('succeeded', 'failed')) = (completed_at IS NOT NULL)),
  ADD CONSTRAINT refund_failed CHECK ((status = 'failed') = (failed_at IS NOT NULL)),
  ADD CONSTRAINT refund_asserted CHECK (asserted_at IS NULL OR status IN ('succeeded', 'failed'));

-- One live refund per reference of its payment, under any key.
CREATE UNIQUE INDEX refund_one_live_per_reference ON refund (tenant_id, payment_id, reference)
  WHERE status IN ('pending', 'succeeded');

-- A bank may return a refund that succeeded. No other change of a succeeded refund is allowed.
CREATE FUNCTION refund_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (OLD.status = 'succeeded' AND NEW.status NOT IN ('succeeded', 'failed'))
    OR (OLD.status = 'failed' AND NEW.status <> 'failed')
  THEN
    RAISE EXCEPTION 'refund % is %, which is final', OLD.id, OLD.status;
  END IF;
  IF NEW.status = 'failed' AND OLD.status NOT IN ('succeeded', 'failed') THEN
    RAISE EXCEPTION 'refund % is %: only a succeeded refund can fail later', OLD.id, OLD.status;
  END IF;
  IF (NEW.tenant_id, NEW.payment_id, NEW.operation_id, NEW.reference, NEW.amount_minor)
    IS DISTINCT FROM (OLD.tenant_id, OLD.payment_id, OLD.operation_id, OLD.reference, OLD.amount_minor)
  THEN
    RAISE EXCEPTION 'refund %: the command never changes', OLD.id;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER refund_guard BEFORE UPDATE ON refund FOR EACH ROW EXECUTE FUNCTION refund_guard();

-- The ledger.

CREATE TABLE ledger_entry (
  tenant_id    text NOT NULL,
  source_id    uuid NOT NULL,
  kind         text NOT NULL,
  account      text NOT NULL,
  payment_id   uuid NOT NULL,
  amount_minor bigint NOT NULL,
  currency     text NOT NULL,
  at           timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT ledger_entry_pkey PRIMARY KEY (tenant_id, source_id, kind, account),
  CONSTRAINT ledger_entry_tenant_id_payment_id_fkey FOREIGN KEY (tenant_id, payment_id)
    REFERENCES payment (tenant_id, id) ON DELETE RESTRICT
);
CREATE INDEX ledger_entry_tenant_id_payment_id_idx
  ON ledger_entry (tenant_id, payment_id);

CREATE TRIGGER ledger_entry_append_only BEFORE UPDATE OR DELETE ON ledger_entry
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_entry_no_truncate BEFORE TRUNCATE ON ledger_entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Both sides of a booking are inserted by one statement, and sum to zero.
CREATE FUNCTION ledger_balanced() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE unbalanced record;
BEGIN
  SELECT kind, source_id INTO unbalanced FROM inserted
    GROUP BY tenant_id, kind, source_id HAVING sum(amount_minor) <> 0 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'ledger entries of % % do not sum to zero', unbalanced.kind, unbalanced.source_id;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER ledger_balanced AFTER INSERT ON ledger_entry
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION ledger_balanced();

-- What each merchant is owed, and what the provider owes for it. Debits are positive, so a liability shows negative.
CREATE VIEW tenant_balance AS
  SELECT tenant_id, currency, account, sum(amount_minor)::bigint AS amount_minor
  FROM ledger_entry GROUP BY tenant_id, currency, account;

-- The outbox.

CREATE TABLE outbox_event (
  tenant_id  text NOT NULL,
  id         uuid NOT NULL DEFAULT gen_random_uuid(),
  payment_id uuid NOT NULL,
  type       text NOT NULL,
  source_id  uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  relayed_at timestamptz,
  CONSTRAINT outbox_event_pkey PRIMARY KEY (tenant_id, id),
  CONSTRAINT outbox_event_tenant_id_payment_id_fkey FOREIGN KEY (tenant_id, payment_id)
    REFERENCES payment (tenant_id, id) ON DELETE RESTRICT
);
CREATE UNIQUE INDEX outbox_event_tenant_id_source_id_type_key
  ON outbox_event (tenant_id, source_id, type);
-- What the relay has to take to its consumers.
CREATE INDEX outbox_event_to_relay ON outbox_event (created_at) WHERE relayed_at IS NULL;

CREATE TABLE inbox_message (
  tenant_id   text NOT NULL,
  consumer    text NOT NULL,
  message_id  text NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT inbox_message_pkey PRIMARY KEY (tenant_id, consumer, message_id)
);

CREATE TABLE receipt (
  tenant_id  text NOT NULL,
  payment_id uuid NOT NULL,
  number     serial NOT NULL,
  issued_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT receipt_pkey PRIMARY KEY (tenant_id, payment_id),
  CONSTRAINT receipt_tenant_id_payment_id_fkey FOREIGN KEY (tenant_id, payment_id)
    REFERENCES payment (tenant_id, id) ON DELETE RESTRICT
);
CREATE UNIQUE INDEX receipt_tenant_id_number_key
  ON receipt (tenant_id, number);

CREATE TABLE email (
  tenant_id   text NOT NULL,
  id          uuid NOT NULL DEFAULT gen_random_uuid(),
  dedupe_key  text NOT NULL,
  to_address  text NOT NULL,
  subject     text NOT NULL,
  html        text NOT NULL,
  text        text NOT NULL,
  status      text NOT NULL DEFAULT 'queued',
  attempts    integer NOT NULL DEFAULT 0,
  lease_until timestamptz,
  last_error  text,
  created_at  timestamptz NOT NULL DEFAULT now(),
  sent_at     timestamptz,
  CONSTRAINT email_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX email_tenant_id_created_at_id_idx
  ON email (tenant_id, created_at, id);
CREATE UNIQUE INDEX email_tenant_id_dedupe_key_key
  ON email (tenant_id, dedupe_key);

ALTER TABLE email
  ADD CONSTRAINT email_status CHECK (status IN ('queued', 'sent', 'kept', 'failed')),
  ADD CONSTRAINT email_attempts CHECK (attempts >= 0),
  ADD CONSTRAINT email_sent CHECK ((status = 'sent') = (sent_at IS NOT NULL)),
  ADD CONSTRAINT email_failed CHECK (status <> 'failed' OR last_error IS NOT NULL),
  ADD CONSTRAINT email_lease CHECK (status = 'queued' OR lease_until IS NULL);

CREATE TABLE merchant_webhook_endpoint (
  tenant_id        text NOT NULL,
  id               uuid NOT NULL DEFAULT gen_random_uuid(),
  url              text NOT NULL,
  description      text NOT NULL DEFAULT '',
  event_types      text[] NOT NULL DEFAULT ARRAY[]::text[],
  secret           bytea,
  secret_key       text,
  old_secret       bytea,
  old_secret_key   text,
  old_secret_until timestamptz,
  created_at       timestamptz NOT NULL DEFAULT now(),
  failing_since    timestamptz,
  turn_until       timestamptz,
  disabled_at      timestamptz,
  removed_at       timestamptz,
  CONSTRAINT merchant_webhook_endpoint_pkey PRIMARY KEY (tenant_id, id)
);

ALTER TABLE merchant_webhook_endpoint
  ADD CONSTRAINT merchant_webhook_endpoint_url CHECK (url ~ '^https?://'),
  ADD CONSTRAINT merchant_webhook_endpoint_description CHECK (length(description) <= 200),
  ADD CONSTRAINT merchant_webhook_endpoint_event_types CHECK (
    event_types <@ ARRAY['payment.succeeded', 'payment.declined', 'refund.succeeded', 'refund.failed']),
  -- The row of a removed endpoint stays for the history of its deliveries, without the means to sign another.
  ADD CONSTRAINT merchant_webhook_endpoint_secret CHECK (
    num_nonnulls(secret, secret_key) = CASE WHEN removed_at IS NULL THEN 2 ELSE 0 END),
  ADD CONSTRAINT merchant_webhook_endpoint_old_secret CHECK (
    num_nonnulls(old_secret, old_secret_key, old_secret_until) IN (0, 3)
    AND (removed_at IS NULL OR old_secret IS NULL));

-- A form that is sent twice adds one endpoint.
CREATE UNIQUE INDEX merchant_webhook_endpoint_one_per_url ON merchant_webhook_endpoint (tenant_id, url)
  WHERE removed_at IS NULL;

CREATE TABLE merchant_webhook_delivery (
  tenant_id        text NOT NULL,
  id               uuid NOT NULL DEFAULT gen_random_uuid(),
  endpoint_id      uuid NOT NULL,
  type             text NOT NULL,
  event_id         uuid,
  body             text NOT NULL,
  status           text NOT NULL DEFAULT 'queued',
  attempts         integer NOT NULL DEFAULT 0,
  lease_until      timestamptz,
  last_attempt_at  timestamptz,
  last_duration_ms integer,
  last_url         text,
  last_status      integer,
  last_error       text,
  created_at       timestamptz NOT NULL DEFAULT now(),
  delivered_at     timestamptz,
  CONSTRAINT merchant_webhook_delivery_pkey PRIMARY KEY (tenant_id, id),
  CONSTRAINT merchant_webhook_delivery_tenant_id_event_id_fkey FOREIGN KEY (tenant_id, event_id)
    REFERENCES outbox_event (tenant_id, id) ON DELETE RESTRICT,
  CONSTRAINT merchant_webhook_delivery_tenant_id_endpoint_id_fkey FOREIGN KEY (tenant_id, endpoint_id)
    REFERENCES merchant_webhook_endpoint (tenant_id, id) ON DELETE RESTRICT
);
CREATE INDEX merchant_webhook_delivery_tenant_id_created_at_id_idx
  ON merchant_webhook_delivery (tenant_id, created_at, id);
CREATE INDEX merchant_webhook_delivery_tenant_id_endpoint_id_created_at__idx
  ON merchant_webhook_delivery (tenant_id, endpoint_id, created_at, id);
CREATE UNIQUE INDEX merchant_webhook_delivery_tenant_id_event_id_endpoint_id_key
  ON merchant_webhook_delivery (tenant_id, event_id, endpoint_id);

ALTER TABLE merchant_webhook_delivery
  ADD CONSTRAINT merchant_webhook_delivery_status CHECK (status IN ('queued', 'delivered', 'failed', 'cancelled')),
  ADD CONSTRAINT merchant_webhook_delivery_attempts CHECK (attempts >= 0),
  ADD CONSTRAINT merchant_webhook_delivery_delivered CHECK ((status = 'delivered') = (delivered_at IS NOT NULL)),
  ADD CONSTRAINT merchant_webhook_delivery_response CHECK (status <> 'delivered' OR last_status BETWEEN 200 AND 299),
  ADD CONSTRAINT merchant_webhook_delivery_ended CHECK (
    status NOT IN ('failed', 'cancelled') OR last_error IS NOT NULL),
  ADD CONSTRAINT merchant_webhook_delivery_lease CHECK (status = 'queued' OR lease_until IS NULL),
  -- A test is about no event.
  ADD CONSTRAINT merchant_webhook_delivery_test CHECK ((type = 'webhook.test') = (event_id IS NULL));

-- One test at a time for each endpoint, however often the button is pressed.
CREATE UNIQUE INDEX merchant_webhook_delivery_one_test ON merchant_webhook_delivery (tenant_id, endpoint_id)
  WHERE type = 'webhook.test' AND status = 'queued';
-- What waits for an endpoint.
CREATE INDEX merchant_webhook_delivery_waiting ON merchant_webhook_delivery (tenant_id, endpoint_id)
  WHERE status = 'queued';

-- A message that has left cannot be called back, so a late or duplicate report does not change its status.
CREATE FUNCTION message_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status IN ('sent', 'delivered') AND NEW.status <> OLD.status THEN
    RAISE EXCEPTION '% % is %, which is final', TG_TABLE_NAME, OLD.id, OLD.status;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER email_guard BEFORE UPDATE ON email FOR EACH ROW EXECUTE FUNCTION message_guard();
CREATE TRIGGER merchant_webhook_delivery_guard BEFORE UPDATE ON merchant_webhook_delivery
  FOR EACH ROW EXECUTE FUNCTION message_guard();

-- What reconciliation keeps.

CREATE TABLE provider_event (
  id           uuid NOT NULL DEFAULT gen_random_uuid(),
  provider     text NOT NULL,
  event_id     text NOT NULL,
  type         text NOT NULL,
  operation_id uuid,
  tenant_id    text,
  payload      jsonb,
  status       text NOT NULL DEFAULT 'received',
  outcome      text,
  received_at  timestamptz NOT NULL DEFAULT now(),
  processed_at timestamptz,
  CONSTRAINT provider_event_pkey PRIMARY KEY (id)
);
CREATE INDEX provider_event_operation_id_idx
  ON provider_event (operation_id);
CREATE INDEX provider_event_received_at_idx
  ON provider_event (received_at);
CREATE INDEX provider_event_tenant_id_received_at_id_idx
  ON provider_event (tenant_id, received_at, id);
CREATE INDEX provider_event_tenant_id_type_received_at_id_idx
  ON provider_event (tenant_id, type, received_at, id);
CREATE UNIQUE INDEX provider_event_provider_event_id_key
  ON provider_event (provider, event_id);

ALTER TABLE provider_event
  ADD CONSTRAINT provider_event_status CHECK (status IN ('received', 'processed', 'ignored'));

CREATE INDEX provider_event_unprocessed ON provider_event (received_at) WHERE status = 'received';
CREATE INDEX provider_event_succeeded ON provider_event (received_at, operation_id)
  WHERE type = 'payment_intent.succeeded';
CREATE INDEX provider_event_payload_due ON provider_event (processed_at) WHERE payload IS NOT NULL;

CREATE TABLE provider_circuit (
  provider     text NOT NULL,
  failures     integer NOT NULL DEFAULT 0,
  open_until   timestamptz,
  paused_until timestamptz,
  changed_at   timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT provider_circuit_pkey PRIMARY KEY (provider)
);

CREATE TABLE provider_call (
  tenant_id    text NOT NULL,
  operation_id uuid NOT NULL,
  id           bigserial NOT NULL,
  call         text NOT NULL,
  started_at   timestamptz NOT NULL,
  duration_ms  integer NOT NULL,
  outcome      text NOT NULL,
  code         text,
  request_id   text,
  CONSTRAINT provider_call_pkey PRIMARY KEY (tenant_id, operation_id, id),
  CONSTRAINT provider_call_tenant_id_operation_id_fkey FOREIGN KEY (tenant_id, operation_id)
    REFERENCES idempotency_record (tenant_id, id) ON DELETE CASCADE
);

ALTER TABLE provider_call ADD CONSTRAINT provider_call_outcome
  CHECK (outcome IN ('responded', 'not_executed', 'rejected', 'ambiguous', 'not_found', 'threw'));

CREATE TABLE reconciliation_exception (
  tenant_id           text NOT NULL,
  id                  uuid NOT NULL DEFAULT gen_random_uuid(),
  payment_id          uuid NOT NULL,
  intent_id           text,
  refund_id           uuid,
  reason              text NOT NULL,
  status              text NOT NULL DEFAULT 'open',
  generation          integer NOT NULL DEFAULT 1,
  refund_operation_id uuid,
  found_at            timestamptz NOT NULL DEFAULT now(),
  decided_at          timestamptz,
  decided_by          text,
  decision_reason     text,
  CONSTRAINT reconciliation_exception_pkey PRIMARY KEY (tenant_id, id),
  CONSTRAINT reconciliation_exception_tenant_id_payment_id_fkey FOREIGN KEY (tenant_id, payment_id)
    REFERENCES payment (tenant_id, id) ON DELETE RESTRICT,
  CONSTRAINT reconciliation_exception_tenant_id_refund_id_fkey FOREIGN KEY (tenant_id, refund_id)
    REFERENCES refund (tenant_id, id) ON DELETE RESTRICT
);
CREATE INDEX reconciliation_exception_tenant_id_payment_id_idx
  ON reconciliation_exception (tenant_id, payment_id);
CREATE INDEX reconciliation_exception_tenant_id_found_at_id_idx
  ON reconciliation_exception (tenant_id, found_at, id);
CREATE INDEX reconciliation_exception_tenant_id_status_found_at_id_idx
  ON reconciliation_exception (tenant_id, status, found_at, id);
CREATE UNIQUE INDEX reconciliation_exception_tenant_id_refund_operation_id_key
  ON reconciliation_exception (tenant_id, refund_operation_id);

ALTER TABLE reconciliation_exception
  ADD CONSTRAINT reconciliation_exception_status CHECK (status IN ('open', 'refunded', 'booked', 'dismissed')),
  ADD CONSTRAINT reconciliation_exception_about CHECK ((intent_id IS NULL) = (refund_id IS NOT NULL));

-- Money that moved is shown once, so that it is refunded once. That the provider denies what an operator asserted is another
-- finding, and may come in addition.
CREATE UNIQUE INDEX reconciliation_exception_intent ON reconciliation_exception (tenant_id, intent_id)
  WHERE reason <> 'assertion_denied';
CREATE UNIQUE INDEX reconciliation_exception_refund ON reconciliation_exception (tenant_id, refund_id)
  WHERE reason <> 'assertion_denied';
CREATE UNIQUE INDEX reconciliation_exception_denied_payment ON reconciliation_exception (tenant_id, intent_id)
  WHERE reason = 'assertion_denied';
CREATE UNIQUE INDEX reconciliation_exception_denied_refund ON reconciliation_exception (tenant_id, refund_id)
  WHERE reason = 'assertion_denied';

CREATE INDEX reconciliation_exception_open ON reconciliation_exception (found_at) WHERE status = 'open';


-- A page that shows an order is woken when its payments change. The two commits that every payment makes, the claim and
-- the completion, notify after the commit (the topics of a transition), because a NOTIFY serialises the commits of the
-- whole database. Rare changes notify in their own commit. Equal topics of one transaction are notified once.
CREATE FUNCTION notify_reference(tenant text, reference text) RETURNS void LANGUAGE sql AS $$
  SELECT pg_notify('paidonce_operation', 'reference:' || tenant || ':' || reference);
$$;

CREATE FUNCTION payment_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_reference(NEW.tenant_id, NEW.reference);
  RETURN NULL;
END $$;

CREATE TRIGGER payment_notify AFTER UPDATE ON payment
  FOR EACH ROW WHEN (
    ('released' IN (OLD.status, NEW.status) AND OLD.status <> NEW.status)
    OR OLD.refunded_minor <> NEW.refunded_minor
    OR (NEW.next_action_url IS NOT NULL AND NEW.next_action_url IS DISTINCT FROM OLD.next_action_url))
  EXECUTE FUNCTION payment_notify();

-- The worker issues the receipt's number a moment after the payment.
CREATE FUNCTION receipt_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_reference(tenant_id, reference) FROM payment
  WHERE tenant_id = NEW.tenant_id AND id = NEW.payment_id;
  RETURN NULL;
END $$;

CREATE TRIGGER receipt_notify AFTER INSERT ON receipt
  FOR EACH ROW EXECUTE FUNCTION receipt_notify();
