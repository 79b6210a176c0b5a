-- What Prisma cannot express. The code explains these rules; the database holds them.

-- ------------------------------------------------------------------ idempotency

ALTER TABLE idempotency_record
  ADD CONSTRAINT idempotency_record_status
    CHECK (status IN ('in_progress', 'completed', 'failed_retryable', 'unknown', 'expired')),
  ADD CONSTRAINT idempotency_record_key_length CHECK (length(key) BETWEEN 16 AND 255),
  ADD CONSTRAINT idempotency_record_attempt CHECK (attempt >= 1),
  -- Exactly the records somebody is executing have a lease.
  ADD CONSTRAINT idempotency_record_lease CHECK ((status = 'in_progress') = (lease_until IS NOT NULL)),
  -- A completed record can say what the answer was (its body may have been purged since).
  ADD CONSTRAINT idempotency_record_answer
    CHECK (status <> 'completed' OR (response_status IS NOT NULL AND completed_at IS NOT NULL
      AND (response_body IS NOT NULL OR body_purged_at IS NOT NULL))),
  -- What is not settled has no clock running: it cannot expire.
  ADD CONSTRAINT idempotency_record_ageless
    CHECK (status NOT IN ('in_progress', 'unknown') OR expires_at IS NULL),
  -- A key is released only when it is proven that nothing is under way outside.
  ADD CONSTRAINT idempotency_record_released CHECK (status <> 'failed_retryable' OR NOT effect_sent);

-- What the reaper looks for; small, because they hold only what still can age.
CREATE INDEX idempotency_record_expires ON idempotency_record (expires_at)
  WHERE status IN ('completed', 'failed_retryable');
CREATE INDEX idempotency_record_purge ON idempotency_record (body_purge_at) WHERE response_body IS NOT NULL;
CREATE INDEX idempotency_record_delete ON idempotency_record (delete_at) WHERE status = 'expired';
-- What the sweeper and the poller look for.
CREATE INDEX idempotency_record_leases ON idempotency_record (lease_until) WHERE status = 'in_progress';
CREATE INDEX idempotency_record_reconcile ON idempotency_record (reconcile_after) WHERE status = 'unknown';

-- The same table as `transitions` in src/idempotency/record.ts; a test holds the two against each other.
CREATE FUNCTION idempotency_record_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW.status <> 'in_progress' OR NEW.attempt <> 1 THEN
      RAISE EXCEPTION 'an idempotency record begins in_progress, as attempt 1';
    END IF;
    RETURN NEW;
  END IF;

  IF (NEW.id, NEW.tenant_id, NEW.operation, NEW.key, NEW.fingerprint, NEW.fingerprint_version, NEW.principal, NEW.created_at)
    IS DISTINCT FROM
     (OLD.id, OLD.tenant_id, OLD.operation, OLD.key, OLD.fingerprint, OLD.fingerprint_version, OLD.principal, OLD.created_at)
  THEN
    RAISE EXCEPTION 'idempotency record %: what was asked, and by whom, never changes', OLD.id;
  END IF;

  IF OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN (
    ('in_progress', 'completed'), ('in_progress', 'failed_retryable'), ('in_progress', 'unknown'),
    ('unknown', 'completed'), ('unknown', 'failed_retryable'),
    ('failed_retryable', 'in_progress'),
    ('completed', 'expired'), ('failed_retryable', 'expired'))
  THEN
    RAISE EXCEPTION 'idempotency record %: % can not become %', OLD.id, OLD.status, NEW.status;
  END IF;

  IF NEW.attempt <> OLD.attempt + (OLD.status = 'failed_retryable' AND NEW.status = 'in_progress')::int THEN
    RAISE EXCEPTION 'idempotency record %: an attempt begins exactly when a released key is claimed again', OLD.id;
  END IF;

  IF OLD.effect_sent AND NEW.status = 'failed_retryable' AND NEW.transition_cause = 'lease_expired' THEN
    RAISE EXCEPTION 'idempotency record %: time alone proves nothing about an effect that may have left', OLD.id;
  END IF;

  IF OLD.effect_sent AND NOT NEW.effect_sent AND NEW.status = 'in_progress' THEN
    RAISE EXCEPTION 'idempotency record %: an owner can not take back that something may have been sent', OLD.id;
  END IF;

  IF OLD.response_status IS NOT NULL AND (
    NEW.response_status IS DISTINCT FROM OLD.response_status
    OR (NEW.response_body IS NOT NULL AND NEW.response_body IS DISTINCT FROM OLD.response_body))
  THEN
    RAISE EXCEPTION 'idempotency record %: a stored answer never changes', OLD.id;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER idempotency_record_guard BEFORE INSERT OR UPDATE ON idempotency_record
  FOR EACH ROW EXECUTE FUNCTION idempotency_record_guard();

CREATE FUNCTION idempotency_record_keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status <> 'expired' THEN
    RAISE EXCEPTION 'idempotency record % is %: only expired records are ever deleted', OLD.id, OLD.status;
  END IF;
  RETURN OLD;
END $$;

CREATE TRIGGER idempotency_record_keep BEFORE DELETE ON idempotency_record
  FOR EACH ROW EXECUTE FUNCTION idempotency_record_keep();

-- Every transition leaves an event because the database writes it, not because a programmer remembered to.
CREATE FUNCTION idempotency_record_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND (OLD.status, OLD.attempt, OLD.recovery_point)
    IS NOT DISTINCT FROM (NEW.status, NEW.attempt, NEW.recovery_point)
  THEN
    RETURN NULL;
  END IF;

  INSERT INTO idempotency_event (record_id, attempt, from_status, to_status, recovery_point, actor, cause, evidence, at)
  VALUES (NEW.id, NEW.attempt, CASE WHEN TG_OP = 'UPDATE' THEN OLD.status END, NEW.status, NEW.recovery_point,
    NEW.transition_actor, NEW.transition_cause, NEW.transition_evidence, clock_timestamp());

  -- Whoever waits for this operation learns of it with the commit, without polling.
  IF TG_OP = 'UPDATE' AND OLD.status <> NEW.status THEN
    PERFORM pg_notify('paidonce_operation', NEW.id::text);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER idempotency_record_log AFTER INSERT OR UPDATE ON idempotency_record
  FOR EACH ROW EXECUTE FUNCTION idempotency_record_log();

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;

CREATE TRIGGER idempotency_event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON idempotency_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- --------------------------------------------------------------------- payments

ALTER TABLE payment
  ADD CONSTRAINT payment_status CHECK (status IN ('pending', 'succeeded', 'declined', 'released')),
  ADD CONSTRAINT payment_amount CHECK (amount_minor > 0),
  ADD CONSTRAINT payment_refunded CHECK (refunded_minor BETWEEN 0 AND amount_minor),
  ADD CONSTRAINT payment_refunded_paid CHECK (refunded_minor = 0 OR status = 'succeeded'),
  ADD CONSTRAINT payment_currency CHECK (currency ~ '^[a-z]{3}$'),
  ADD CONSTRAINT payment_settled CHECK ((status IN ('succeeded', 'declined')) = (settled_at IS NOT NULL)),
  ADD CONSTRAINT payment_declined CHECK ((status = 'declined') = (decline_code IS NOT NULL));

-- One live payment per reference, whatever keys are used: what no idempotency key can prevent.
CREATE UNIQUE INDEX payment_one_live_per_reference ON payment (tenant_id, reference)
  WHERE status IN ('pending', 'succeeded');

CREATE FUNCTION payment_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status IN ('succeeded', 'declined') AND NEW.status <> OLD.status THEN
    RAISE EXCEPTION 'payment % is %: a settled payment stays settled', OLD.id, OLD.status;
  END IF;
  IF (NEW.tenant_id, NEW.operation_id, NEW.reference, NEW.amount_minor, NEW.currency, NEW.payment_method)
    IS DISTINCT FROM
     (OLD.tenant_id, OLD.operation_id, OLD.reference, OLD.amount_minor, OLD.currency, OLD.payment_method)
  THEN
    RAISE EXCEPTION 'payment %: what is paid, and with what, never changes', OLD.id;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER payment_guard BEFORE UPDATE ON payment FOR EACH ROW EXECUTE FUNCTION payment_guard();

ALTER TABLE refund
  ADD CONSTRAINT refund_status CHECK (status IN ('pending', 'succeeded', 'released')),
  ADD CONSTRAINT refund_amount CHECK (amount_minor > 0),
  ADD CONSTRAINT refund_settled CHECK ((status = 'succeeded') = (settled_at IS NOT NULL));

CREATE TRIGGER ledger_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Checked at commit, when both sides are there.
CREATE FUNCTION ledger_balanced() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT sum(amount_minor) FROM ledger_entry WHERE source_id = NEW.source_id AND kind = NEW.kind) <> 0 THEN
    RAISE EXCEPTION 'ledger entries of % % do not sum to zero', NEW.kind, NEW.source_id;
  END IF;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER ledger_balanced AFTER INSERT ON ledger_entry
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_balanced();

-- What each merchant is owed, and what the provider owes for it. Debits are positive, so a liability shows negative.
CREATE VIEW tenant_balance AS
  SELECT tenant_id, currency, account, sum(amount_minor)::bigint AS amount_minor
  FROM ledger_entry GROUP BY tenant_id, currency, account;

-- ------------------------------------------------------------------------- shop

ALTER TABLE shop_order ADD CONSTRAINT shop_order_amount CHECK (amount_minor > 0);
ALTER TABLE shop_order_line ADD CONSTRAINT shop_order_line_quantity CHECK (quantity BETWEEN 1 AND 99);
ALTER TABLE product ADD CONSTRAINT product_amount CHECK (amount_minor > 0);
