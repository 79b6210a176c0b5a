-- Callers that share a statement change neighbours: a page needs room for a second version of all its records. With less, half of
-- the phases moved their record to another page, and then every index was written.
ALTER TABLE idempotency_record SET (fillfactor = 50);

-- The same rules for a record. PL/pgSQL prepares an expression anew in each transaction, if it is reached: with a branch for each
-- status, a phase or a completion no longer pays for the rules of a release.
CREATE OR REPLACE FUNCTION idempotency_record_transition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  fits boolean := false;
  rule text;
BEGIN
  -- It is often off for a whole server or role, and a crash of PostgreSQL then loses commits of the last moments: a record would
  -- be at an earlier point than the request that was sent after its commit. Other values are kept.
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;

  -- What is true of a record in each status.
  IF NEW.status = 'in_progress' THEN
    -- A record has a lease exactly while an owner executes it, and cannot expire before its outcome is known.
    fits := NEW.lease_until IS NOT NULL AND NEW.expires_at IS NULL AND NEW.escalated_at IS NULL;
  ELSIF NEW.status = 'completed' THEN
    -- A completed record has its response; only the body may have been purged since.
    fits := NEW.lease_until IS NULL AND NEW.escalated_at IS NULL AND NEW.response_status IS NOT NULL
      AND NEW.completed_at IS NOT NULL AND (NEW.response_body IS NOT NULL OR NEW.body_purged_at IS NOT NULL);
  ELSIF NEW.status = 'unknown' THEN
    -- Only unknown operations are in the operators' queue.
    fits := NEW.lease_until IS NULL AND NEW.expires_at IS NULL AND NEW.unknown_since IS NOT NULL;
  ELSIF NEW.status = 'failed_retryable' THEN
    -- A key is released only when it is proven that no effect is under way outside.
    fits := NEW.lease_until IS NULL AND NEW.escalated_at IS NULL AND NOT NEW.effect_sent;
  ELSIF NEW.status = 'expired' THEN
    fits := NEW.lease_until IS NULL AND NEW.escalated_at IS NULL;
  END IF;

  IF NOT fits THEN
    rule := 'its columns do not fit its status';
  ELSIF TG_OP = 'INSERT' THEN
    IF NEW.status <> 'in_progress' OR NEW.attempt <> 1 THEN
      rule := 'a record begins in_progress, as attempt 1';
    ELSIF length(NEW.key) NOT BETWEEN 16 AND 255 THEN
      rule := 'a key has 16 to 255 characters';
    END IF;
  ELSIF OLD.response_status IS NOT NULL AND (NEW.response_status IS DISTINCT FROM OLD.response_status
      OR (NEW.response_body IS NOT NULL AND NEW.response_body IS DISTINCT FROM OLD.response_body)) THEN
    rule := 'a stored response never changes';
  ELSIF NEW.status = OLD.status AND NEW.attempt = OLD.attempt THEN
    IF NEW.status = 'in_progress' AND OLD.effect_sent AND NOT NEW.effect_sent THEN
      rule := 'an owner cannot withdraw that an effect may have been sent';
    ELSIF NEW.recovery_point = OLD.recovery_point THEN
      RETURN NULL;
    END IF;
  -- The table is that of `transitions` in src/idempotency/record.ts; a test compares the two.
  ELSIF NEW.status <> OLD.status AND OLD.status || ' to ' || NEW.status <> ALL (ARRAY[
      'in_progress to completed', 'in_progress to failed_retryable', 'in_progress to unknown',
      'unknown to completed', 'unknown to failed_retryable',
      'failed_retryable to in_progress',
      'completed to expired', 'failed_retryable to expired']) THEN
    rule := 'no such transition';
  ELSIF NEW.attempt <> OLD.attempt + (OLD.status = 'failed_retryable' AND NEW.status = 'in_progress')::int THEN
    rule := 'an attempt begins exactly when a released key is claimed again';
  ELSIF NEW.status = 'failed_retryable' THEN
    rule := CASE
      WHEN OLD.effect_sent AND NEW.transition_cause = 'lease_expired'
        THEN 'an expired lease does not prove that nothing was sent'
      WHEN OLD.status = 'unknown' AND NEW.transition_actor = 'owner'
        THEN 'only evidence releases a key whose outcome is unknown'
      WHEN NEW.transition_cause = 'operator_override' THEN 'an operator''s assertion never releases a key'
    END;
  END IF;
  IF rule IS NOT NULL THEN
    RAISE EXCEPTION 'idempotency record %: % (% to %)', NEW.id, rule,
      CASE WHEN TG_OP = 'UPDATE' THEN OLD.status ELSE 'new' END, NEW.status;
  END IF;

  -- Every transition leaves an event because the database sees to it, not because a programmer remembered to.
  INSERT INTO idempotency_event
    (tenant_id, record_id, attempt, from_status, to_status, recovery_point, actor, cause, evidence, at)
  VALUES (NEW.tenant_id, NEW.id, NEW.attempt, OLD.status, NEW.status,
    NEW.recovery_point, NEW.transition_actor, NEW.transition_cause, NEW.transition_evidence, clock_timestamp());
  RETURN NULL;
END $$;

-- The condition of a trigger is text, which each statement on the table copies, also one that sets none of the columns.
CREATE FUNCTION idempotency_record_command() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.tenant_id, NEW.id, NEW.operation, NEW.key, NEW.fingerprint, NEW.fingerprint_version, NEW.field_digests,
      NEW.principal, NEW.created_at)
    IS DISTINCT FROM
    (OLD.tenant_id, OLD.id, OLD.operation, OLD.key, OLD.fingerprint, OLD.fingerprint_version, OLD.field_digests,
      OLD.principal, OLD.created_at)
  THEN
    RAISE EXCEPTION 'idempotency record %: the command and its principal never change (% to %)', NEW.id, OLD.status, NEW.status;
  END IF;
  RETURN NULL;
END $$;

DROP TRIGGER idempotency_record_command ON idempotency_record;
CREATE TRIGGER idempotency_record_command
  AFTER UPDATE OF tenant_id, id, operation, key, fingerprint, fingerprint_version, field_digests, principal, created_at
  ON idempotency_record FOR EACH ROW EXECUTE FUNCTION idempotency_record_command();
DROP FUNCTION refuse_record_change();
