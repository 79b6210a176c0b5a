-- The same rules for a record, at less cost. PostgreSQL reads the text of each CHECK and of each trigger's WHEN again for every
-- statement, so that one caller alone paid more for them than for the rows.

-- What is true of a record in each status. It replaces a CHECK for each column; the next migration validates it and drops them.
ALTER TABLE idempotency_record ADD CONSTRAINT idempotency_record_fits_status CHECK (
  CASE status
    -- A record has a lease exactly while an owner executes it, and cannot expire before its outcome is known.
    WHEN 'in_progress' THEN
      lease_until IS NOT NULL AND expires_at IS NULL AND escalated_at IS NULL
    -- Only unknown operations are in the operators' queue.
    WHEN 'unknown' THEN
      lease_until IS NULL AND expires_at IS NULL AND unknown_since IS NOT NULL
    -- A completed record has its response; only the body may have been purged since.
    WHEN 'completed' THEN
      lease_until IS NULL AND escalated_at IS NULL AND response_status IS NOT NULL AND completed_at IS NOT NULL
      AND (response_body IS NOT NULL OR body_purged_at IS NOT NULL)
    -- A key is released only when it is proven that no effect is under way outside.
    WHEN 'failed_retryable' THEN
      lease_until IS NULL AND escalated_at IS NULL AND NOT effect_sent
    WHEN 'expired' THEN
      lease_until IS NULL AND escalated_at IS NULL
    ELSE false
  END) NOT VALID;

-- A rule that names its columns costs nothing to a statement that does not set them.

DROP TRIGGER idempotency_record_command ON idempotency_record;
CREATE TRIGGER idempotency_record_command
  AFTER UPDATE OF tenant_id, id, operation, key, fingerprint, fingerprint_version, field_digests, principal, created_at
  ON idempotency_record
  FOR EACH ROW WHEN (
    (NEW.tenant_id, NEW.id, NEW.operation, NEW.key, NEW.fingerprint, NEW.fingerprint_version, NEW.field_digests,
      NEW.principal, NEW.created_at)
    IS DISTINCT FROM
    (OLD.tenant_id, OLD.id, OLD.operation, OLD.key, OLD.fingerprint, OLD.fingerprint_version, OLD.field_digests,
      OLD.principal, OLD.created_at))
  EXECUTE FUNCTION refuse_record_change('the command and its principal never change');

DROP TRIGGER idempotency_record_effect_stays_sent ON idempotency_record;
CREATE TRIGGER idempotency_record_effect_stays_sent AFTER UPDATE OF effect_sent ON idempotency_record
  FOR EACH ROW WHEN (NEW.status = 'in_progress' AND OLD.effect_sent AND NOT NEW.effect_sent)
  EXECUTE FUNCTION refuse_record_change('an owner cannot withdraw that an effect may have been sent');

DROP TRIGGER idempotency_record_response_stays ON idempotency_record;
CREATE TRIGGER idempotency_record_response_stays AFTER UPDATE OF response_status, response_body ON idempotency_record
  FOR EACH ROW WHEN (OLD.response_status IS NOT NULL AND (
    NEW.response_status IS DISTINCT FROM OLD.response_status
    OR (NEW.response_body IS NOT NULL AND NEW.response_body IS DISTINCT FROM OLD.response_body)))
  EXECUTE FUNCTION refuse_record_change('a stored response never changes');

-- What a release needs. A function, because most statements release nothing and need not read three conditions.
CREATE FUNCTION idempotency_record_release() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rule text := CASE
    WHEN OLD.effect_sent AND NEW.transition_cause = 'lease_expired'
      THEN 'an expired lease does not prove that nothing was sent'
    WHEN OLD.status = 'unknown' AND NEW.transition_actor = 'owner'
      THEN 'only evidence releases a key whose outcome is unknown'
    WHEN NEW.transition_cause = 'operator_override'
      THEN 'an operator''s assertion never releases a key'
  END;
BEGIN
  IF rule IS NOT NULL THEN
    RAISE EXCEPTION 'idempotency record %: % (% to %)', NEW.id, rule, OLD.status, NEW.status;
  END IF;
  RETURN NULL;
END $$;

DROP TRIGGER idempotency_record_release_needs_proof ON idempotency_record;
DROP TRIGGER idempotency_record_no_release_by_late_owner ON idempotency_record;
DROP TRIGGER idempotency_record_no_release_by_override ON idempotency_record;
CREATE TRIGGER idempotency_record_release AFTER UPDATE OF status, transition_actor, transition_cause ON idempotency_record
  FOR EACH ROW WHEN (NEW.status = 'failed_retryable') EXECUTE FUNCTION idempotency_record_release();

-- Every transition is compared with the table of possible ones, leaves an event and is on disk when it is committed, because the
-- database sees to it and not because a programmer remembered to. The table is that of `transitions` in src/idempotency/record.ts; a test compares the two.
CREATE FUNCTION idempotency_record_transition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rule text;
BEGIN
  -- It is often off for a whole server or role, and a crash of PostgreSQL then loses commits of the last moments: a record would
  -- be at an earlier point than the request that was sent after its commit. Other values are kept.
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;

  IF TG_OP = 'INSERT' THEN
    IF NEW.status <> 'in_progress' OR NEW.attempt <> 1 THEN
      rule := 'a record begins in_progress, as attempt 1';
    END IF;
  ELSIF OLD.status = NEW.status AND OLD.attempt = NEW.attempt AND OLD.recovery_point = NEW.recovery_point THEN
    RETURN NULL;
  ELSIF OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN (
    ('in_progress', 'completed'), ('in_progress', 'failed_retryable'), ('in_progress', 'unknown'),
    ('unknown', 'completed'), ('unknown', 'failed_retryable'),
    ('failed_retryable', 'in_progress'),
    ('completed', 'expired'), ('failed_retryable', 'expired'))
  THEN
    rule := 'no such transition';
  ELSIF NEW.attempt <> OLD.attempt + (OLD.status = 'failed_retryable' AND NEW.status = 'in_progress')::int THEN
    rule := 'an attempt begins exactly when a released key is claimed again';
  END IF;
  IF rule IS NOT NULL THEN
    RAISE EXCEPTION 'idempotency record %: % (% to %)', NEW.id, rule,
      CASE WHEN TG_OP = 'UPDATE' THEN OLD.status ELSE 'new' END, NEW.status;
  END IF;

  INSERT INTO idempotency_event
    (tenant_id, record_id, attempt, from_status, to_status, recovery_point, actor, cause, evidence, at)
  VALUES (NEW.tenant_id, NEW.id, NEW.attempt, CASE WHEN TG_OP = 'UPDATE' THEN OLD.status END, NEW.status,
    NEW.recovery_point, NEW.transition_actor, NEW.transition_cause, NEW.transition_evidence, clock_timestamp());
  RETURN NULL;
END $$;

DROP TRIGGER idempotency_record_begins ON idempotency_record;
DROP TRIGGER idempotency_record_next_attempt ON idempotency_record;
DROP TRIGGER idempotency_record_transition ON idempotency_record;
DROP TRIGGER idempotency_record_log ON idempotency_record;
DROP FUNCTION idempotency_record_log();
CREATE TRIGGER idempotency_record_transition AFTER INSERT OR UPDATE ON idempotency_record
  FOR EACH ROW EXECUTE FUNCTION idempotency_record_transition();
