-- What ever was in doubt, by when that ended: a payment that goes well is not in it.
CREATE INDEX CONCURRENTLY idempotency_record_known ON idempotency_record (tenant_id, known_at)
  WHERE known_at IS NOT NULL;
