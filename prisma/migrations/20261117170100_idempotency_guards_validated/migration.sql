-- Payments go on while this reads the table. The CHECKs are implied by the one that is validated here, and the one on the
-- attempt by the trigger: a record begins with attempt 1, and only ever gets the next.
ALTER TABLE idempotency_record VALIDATE CONSTRAINT idempotency_record_fits_status;
ALTER TABLE idempotency_record
  DROP CONSTRAINT idempotency_record_status,
  DROP CONSTRAINT idempotency_record_attempt,
  DROP CONSTRAINT idempotency_record_lease,
  DROP CONSTRAINT idempotency_record_response,
  DROP CONSTRAINT idempotency_record_no_expiry,
  DROP CONSTRAINT idempotency_record_released,
  DROP CONSTRAINT idempotency_record_unknown_since,
  DROP CONSTRAINT idempotency_record_escalated;
