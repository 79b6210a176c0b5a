-- The same rules for a record, in the function that logs its transitions. PostgreSQL reads the text of each CHECK and of each
-- trigger's WHEN again for every statement, and compiles a function once for a session: one caller alone paid for four of them
-- in every commit. The rule that a command never changes stays a trigger, because it costs nothing where no such column is set.
CREATE OR REPLACE FUNCTION idempotency_record_transition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rule text;
BEGIN
  -- It is often off for a whole server or role, and a crash of PostgreSQL then loses commits of the last moments: a record would
  -- be at an earlier point than the request that was sent after its commit. Other values are kept.
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;

  -- What is true of a record in each status.
  IF NOT (CASE NEW.status
    -- A record has a lease exactly while an owner executes it, and cannot expire before its outcome is known.
    WHEN 'in_progress' THEN
      NEW.lease_until IS NOT NULL AND NEW.expires_at IS NULL AND NEW.escalated_at IS NULL
    -- A completed record has its response; only the body may have been purged since.
    WHEN 'completed' THEN
      NEW.lease_until IS NULL AND NEW.escalated_at IS NULL AND NEW.response_status IS NOT NULL
      AND NEW.completed_at IS NOT NULL AND (NEW.response_body IS NOT NULL OR NEW.body_purged_at IS NOT NULL)
    -- Only unknown operations are in the operators' queue.
    WHEN 'unknown' THEN
      NEW.lease_until IS NULL AND NEW.expires_at IS NULL AND NEW.unknown_since IS NOT NULL
    -- A key is released only when it is proven that no effect is under way outside.
    WHEN 'failed_retryable' THEN
      NEW.lease_until IS NULL AND NEW.escalated_at IS NULL AND NOT NEW.effect_sent
    WHEN 'expired' THEN
      NEW.lease_until IS NULL AND NEW.escalated_at IS NULL
    ELSE false
  END) THEN
    rule := 'its columns do not fit its status';
  ELSIF TG_OP = 'INSERT' THEN
    rule := CASE
      WHEN NEW.status <> 'in_progress' OR NEW.attempt <> 1 THEN 'a record begins in_progress, as attempt 1'
      WHEN length(NEW.key) NOT BETWEEN 16 AND 255 THEN 'a key has 16 to 255 characters'
    END;
  ELSE
    rule := CASE
      WHEN OLD.response_status IS NOT NULL AND (NEW.response_status IS DISTINCT FROM OLD.response_status
          OR (NEW.response_body IS NOT NULL AND NEW.response_body IS DISTINCT FROM OLD.response_body))
        THEN 'a stored response never changes'
      -- The table is that of `transitions` in src/idempotency/record.ts; a test compares the two.
      WHEN OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN (
          ('in_progress', 'completed'), ('in_progress', 'failed_retryable'), ('in_progress', 'unknown'),
          ('unknown', 'completed'), ('unknown', 'failed_retryable'),
          ('failed_retryable', 'in_progress'),
          ('completed', 'expired'), ('failed_retryable', 'expired'))
        THEN 'no such transition'
      WHEN NEW.attempt <> OLD.attempt + (OLD.status = 'failed_retryable' AND NEW.status = 'in_progress')::int
        THEN 'an attempt begins exactly when a released key is claimed again'
      WHEN NEW.status = 'in_progress' AND OLD.effect_sent AND NOT NEW.effect_sent
        THEN 'an owner cannot withdraw that an effect may have been sent'
      -- What a release needs.
      WHEN NEW.status <> 'failed_retryable' THEN NULL
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
  IF TG_OP = 'UPDATE' AND OLD.status = NEW.status AND OLD.attempt = NEW.attempt
    AND OLD.recovery_point = NEW.recovery_point
  THEN
    RETURN NULL;
  END IF;
  INSERT INTO idempotency_event
    (tenant_id, record_id, attempt, from_status, to_status, recovery_point, actor, cause, evidence, at)
  VALUES (NEW.tenant_id, NEW.id, NEW.attempt, CASE WHEN TG_OP = 'UPDATE' THEN OLD.status END, NEW.status,
    NEW.recovery_point, NEW.transition_actor, NEW.transition_cause, NEW.transition_evidence, clock_timestamp());
  RETURN NULL;
END $$;

DROP TRIGGER idempotency_record_effect_stays_sent ON idempotency_record;
DROP TRIGGER idempotency_record_response_stays ON idempotency_record;
DROP TRIGGER idempotency_record_release ON idempotency_record;
DROP FUNCTION idempotency_record_release();
ALTER TABLE idempotency_record
  DROP CONSTRAINT idempotency_record_fits_status,
  DROP CONSTRAINT idempotency_record_key_length;
