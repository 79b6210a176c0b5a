-- The idempotency engine: its tables, and the rules that the database itself enforces. Nothing here knows of payments,
-- so an application that wants only the engine can take this file alone.
--
-- tenant_id leads every primary key, unique index and foreign key, so that these tables can be partitioned or
-- distributed by tenant as they are.

CREATE TABLE idempotency_record (
  tenant_id               text NOT NULL,
  id                      uuid NOT NULL,
  operation               text NOT NULL,
  key                     text COLLATE "C" NOT NULL,
  fingerprint             text NOT NULL,
  fingerprint_version     integer NOT NULL,
  field_digests           jsonb,
  principal               text NOT NULL,
  status                  text NOT NULL,
  attempt                 integer NOT NULL DEFAULT 1,
  lease_until             timestamptz,
  recovery_point          text NOT NULL,
  effect_sent             boolean NOT NULL DEFAULT false,
  response_status         integer,
  response_body           bytea,
  response_key_id         text,
  response_schema_version integer,
  resource_type           text,
  resource_id             text,
  last_error_code         text,
  next_check_at           timestamptz,
  check_count             integer NOT NULL DEFAULT 0,
  last_checked_at         timestamptz,
  scheduled_check_at      timestamptz,
  escalated_at            timestamptz,
  unknown_since           timestamptz,
  resolved_at             timestamptz,
  transition_actor        text NOT NULL,
  transition_cause        text NOT NULL,
  transition_evidence     jsonb,
  created_at              timestamptz NOT NULL DEFAULT now(),
  updated_at              timestamptz NOT NULL DEFAULT now(),
  completed_at            timestamptz,
  expires_at              timestamptz,
  body_purge_at           timestamptz,
  delete_at               timestamptz,
  body_purged_at          timestamptz,
  CONSTRAINT idempotency_record_pkey PRIMARY KEY (tenant_id, id)
);
-- A page keeps room for the versions of the records that are in progress on it. Set on each partition, if there are any.
ALTER TABLE idempotency_record SET (fillfactor = 70);
CREATE INDEX idempotency_record_status_tenant_id_operation_created_at_id_idx
  ON idempotency_record (status, tenant_id, operation, created_at, id);
CREATE UNIQUE INDEX idempotency_record_tenant_id_operation_key_key
  ON idempotency_record (tenant_id, operation, key);

ALTER TABLE idempotency_record
  ADD CONSTRAINT idempotency_record_status
    CHECK (status IN ('in_progress', 'completed', 'failed_retryable', 'unknown', 'expired')),
  ADD CONSTRAINT idempotency_record_key_length CHECK (length(key) BETWEEN 16 AND 255),
  ADD CONSTRAINT idempotency_record_attempt CHECK (attempt >= 1),
  -- A record has a lease exactly while an owner executes it.
  ADD CONSTRAINT idempotency_record_lease CHECK ((status = 'in_progress') = (lease_until IS NOT NULL)),
  -- A completed record has its response; only the body may have been purged since.
  ADD CONSTRAINT idempotency_record_response
    CHECK (status <> 'completed' OR (response_status IS NOT NULL AND completed_at IS NOT NULL
      AND (response_body IS NOT NULL OR body_purged_at IS NOT NULL))),
  -- A record in progress or unknown cannot expire.
  ADD CONSTRAINT idempotency_record_no_expiry
    CHECK (status NOT IN ('in_progress', 'unknown') OR expires_at IS NULL),
  -- A key is released only when it is proven that no effect is under way outside.
  ADD CONSTRAINT idempotency_record_released CHECK (status <> 'failed_retryable' OR NOT effect_sent),
  ADD CONSTRAINT idempotency_record_unknown_since CHECK (status <> 'unknown' OR unknown_since IS NOT NULL),
  -- Only unknown operations are in the operators' queue.
  ADD CONSTRAINT idempotency_record_escalated CHECK (escalated_at IS NULL OR status = 'unknown');

-- The reaper's work: records that can still age.
CREATE INDEX idempotency_record_expires ON idempotency_record (expires_at)
  WHERE status IN ('completed', 'failed_retryable');
CREATE INDEX idempotency_record_purge ON idempotency_record (body_purge_at) WHERE response_body IS NOT NULL;
CREATE INDEX idempotency_record_delete ON idempotency_record (delete_at) WHERE status = 'expired';
-- The sweeper's and the poller's work. Leases are not indexed, so that an owner can extend its own without touching an
-- index (a HOT update); records in progress are few.
CREATE INDEX idempotency_record_in_progress ON idempotency_record (created_at) WHERE status = 'in_progress';
CREATE INDEX idempotency_record_checks ON idempotency_record (next_check_at) WHERE status = 'unknown';
-- What operators look for. A record that completes without trouble is in none of these.
CREATE INDEX idempotency_record_unknown ON idempotency_record (tenant_id, operation, unknown_since, id)
  WHERE status = 'unknown';
CREATE INDEX idempotency_record_escalated ON idempotency_record (tenant_id, escalated_at)
  WHERE escalated_at IS NOT NULL;
CREATE INDEX idempotency_record_queue ON idempotency_record (tenant_id, operation, created_at, id)
  WHERE escalated_at IS NOT NULL;
CREATE INDEX idempotency_record_errors
  ON idempotency_record (tenant_id, last_error_code, operation, status, created_at, id)
  WHERE last_error_code IS NOT NULL;
CREATE INDEX idempotency_record_unknown_since ON idempotency_record (tenant_id, unknown_since)
  WHERE unknown_since IS NOT NULL;
CREATE INDEX idempotency_record_resolved_at ON idempotency_record (tenant_id, resolved_at)
  WHERE resolved_at IS NOT NULL;

-- What may never happen to a record. Each rule is the WHEN of a trigger, which PostgreSQL evaluates without calling a
-- function: a permitted change costs next to nothing, and a refused one says which rule it broke. They come after the
-- change, which they undo, because a trigger before it would lock each row by itself first.
CREATE FUNCTION refuse_record_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'idempotency record %: % (% to %)', NEW.id, TG_ARGV[0],
    CASE WHEN TG_OP = 'UPDATE' THEN OLD.status ELSE 'new' END, NEW.status;
END $$;

CREATE TRIGGER idempotency_record_begins AFTER INSERT ON idempotency_record
  FOR EACH ROW WHEN (NEW.status <> 'in_progress' OR NEW.attempt <> 1)
  EXECUTE FUNCTION refuse_record_change('a record begins in_progress, as attempt 1');

CREATE TRIGGER idempotency_record_command AFTER UPDATE ON idempotency_record
  FOR EACH ROW WHEN (
    (NEW.tenant_id, NEW.id, NEW.operation, NEW.key, NEW.fingerprint, NEW.fingerprint_version, NEW.field_digests,
      NEW.principal, NEW.created_at)
    IS DISTINCT FROM
    (OLD.tenant_id, OLD.id, OLD.operation, OLD.key, OLD.fingerprint, OLD.fingerprint_version, OLD.field_digests,
      OLD.principal, OLD.created_at))
  EXECUTE FUNCTION refuse_record_change('the command and its principal never change');

-- The same table as `transitions` in src/idempotency/record.ts; a test compares the two.
CREATE TRIGGER idempotency_record_transition AFTER UPDATE ON idempotency_record
  FOR EACH ROW WHEN (OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN (
    ('in_progress', 'completed'), ('in_progress', 'failed_retryable'), ('in_progress', 'unknown'),
    ('unknown', 'completed'), ('unknown', 'failed_retryable'),
    ('failed_retryable', 'in_progress'),
    ('completed', 'expired'), ('failed_retryable', 'expired')))
  EXECUTE FUNCTION refuse_record_change('no such transition');

CREATE TRIGGER idempotency_record_next_attempt AFTER UPDATE ON idempotency_record
  FOR EACH ROW WHEN (
    NEW.attempt <> OLD.attempt + (OLD.status = 'failed_retryable' AND NEW.status = 'in_progress')::int)
  EXECUTE FUNCTION refuse_record_change('an attempt begins exactly when a released key is claimed again');

CREATE TRIGGER idempotency_record_release_needs_proof AFTER UPDATE ON idempotency_record
  FOR EACH ROW WHEN (NEW.status = 'failed_retryable' AND OLD.effect_sent AND NEW.transition_cause = 'lease_expired')
  EXECUTE FUNCTION refuse_record_change('an expired lease does not prove that nothing was sent');

CREATE TRIGGER idempotency_record_no_release_by_late_owner AFTER UPDATE ON idempotency_record
  FOR EACH ROW WHEN (OLD.status = 'unknown' AND NEW.status = 'failed_retryable' AND NEW.transition_actor = 'owner')
  EXECUTE FUNCTION refuse_record_change('only evidence releases a key whose outcome is unknown');

CREATE TRIGGER idempotency_record_no_release_by_override AFTER UPDATE ON idempotency_record
  FOR EACH ROW WHEN (NEW.status = 'failed_retryable' AND NEW.transition_cause = 'operator_override')
  EXECUTE FUNCTION refuse_record_change('an operator''s assertion never releases a key');

CREATE TRIGGER idempotency_record_effect_stays_sent AFTER UPDATE ON idempotency_record
  FOR EACH ROW WHEN (NEW.status = 'in_progress' AND OLD.effect_sent AND NOT NEW.effect_sent)
  EXECUTE FUNCTION refuse_record_change('an owner cannot withdraw that an effect may have been sent');

CREATE TRIGGER idempotency_record_response_stays AFTER UPDATE ON idempotency_record
  FOR EACH ROW WHEN (OLD.response_status IS NOT NULL AND (
    NEW.response_status IS DISTINCT FROM OLD.response_status
    OR (NEW.response_body IS NOT NULL AND NEW.response_body IS DISTINCT FROM OLD.response_body)))
  EXECUTE FUNCTION refuse_record_change('a stored response never changes');

CREATE FUNCTION idempotency_record_keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status <> 'expired' THEN
    RAISE EXCEPTION 'idempotency record % is %: only expired records are deleted', OLD.id, OLD.status;
  END IF;
  RETURN OLD;
END $$;

CREATE TRIGGER idempotency_record_keep BEFORE DELETE ON idempotency_record
  FOR EACH ROW EXECUTE FUNCTION idempotency_record_keep();

-- For readers outside the engine: everything but the response and the fingerprint. The table itself belongs to the store.
CREATE VIEW operation AS
  SELECT tenant_id, id, operation, key, principal, status, attempt, lease_until, recovery_point, effect_sent,
    response_status, resource_type, resource_id, last_error_code, next_check_at, check_count, last_checked_at,
    scheduled_check_at, escalated_at, unknown_since, resolved_at, transition_actor, transition_cause,
    created_at, updated_at, completed_at, expires_at, body_purge_at, body_purged_at, delete_at
  FROM idempotency_record;

-- The events of a record.

CREATE TABLE idempotency_event (
  tenant_id      text NOT NULL,
  record_id      uuid NOT NULL,
  id             bigserial NOT NULL,
  attempt        integer NOT NULL,
  from_status    text,
  to_status      text NOT NULL,
  recovery_point text NOT NULL,
  actor          text NOT NULL,
  cause          text NOT NULL,
  evidence       jsonb,
  at             timestamptz NOT NULL,
  CONSTRAINT idempotency_event_pkey PRIMARY KEY (tenant_id, record_id, id)
);

-- Every transition leaves an event because the database writes it, not because a programmer remembered to.
CREATE FUNCTION idempotency_record_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND (OLD.status, OLD.attempt, OLD.recovery_point)
    IS NOT DISTINCT FROM (NEW.status, NEW.attempt, NEW.recovery_point)
  THEN
    RETURN NULL;
  END IF;

  INSERT INTO idempotency_event
    (tenant_id, record_id, attempt, from_status, to_status, recovery_point, actor, cause, evidence, at)
  VALUES (NEW.tenant_id, NEW.id, NEW.attempt, CASE WHEN TG_OP = 'UPDATE' THEN OLD.status END, NEW.status,
    NEW.recovery_point, NEW.transition_actor, NEW.transition_cause, NEW.transition_evidence, clock_timestamp());
  RETURN NULL;
END $$;

CREATE TRIGGER idempotency_record_log AFTER INSERT OR UPDATE ON idempotency_record
  FOR EACH ROW EXECUTE FUNCTION idempotency_record_log();

-- Per row, because a statement-level guard is bypassed on partitions and shards; TRUNCATE has only the statement.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;

CREATE TRIGGER idempotency_event_append_only BEFORE UPDATE OR DELETE ON idempotency_event
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER idempotency_event_no_truncate BEFORE TRUNCATE ON idempotency_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The misuse of keys.

CREATE TABLE key_misuse (
  tenant_id text NOT NULL,
  record_id uuid NOT NULL,
  kind      text NOT NULL,
  fields    text NOT NULL,
  times     integer NOT NULL DEFAULT 1,
  first_at  timestamptz NOT NULL DEFAULT now(),
  last_at   timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT key_misuse_pkey PRIMARY KEY (tenant_id, record_id, kind, fields),
  CONSTRAINT key_misuse_tenant_id_record_id_fkey FOREIGN KEY (tenant_id, record_id)
    REFERENCES idempotency_record (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX key_misuse_tenant_id_last_at_record_id_idx
  ON key_misuse (tenant_id, last_at, record_id);

ALTER TABLE key_misuse
  ADD CONSTRAINT key_misuse_kind CHECK (kind IN ('command', 'principal')),
  ADD CONSTRAINT key_misuse_times CHECK (times >= 1);

-- Keys derived from the command, for requests without one.

CREATE TABLE idempotency_body_window (
  tenant_id   text NOT NULL,
  operation   text NOT NULL,
  fingerprint text NOT NULL,
  key         text NOT NULL,
  ends_at     timestamptz NOT NULL,
  CONSTRAINT idempotency_body_window_pkey PRIMARY KEY (tenant_id, operation, fingerprint)
);
CREATE INDEX idempotency_body_window_ends_at_idx
  ON idempotency_body_window (ends_at);
