-- What ever was in doubt, by when it came to be: a payment that goes well is not in it.
CREATE INDEX CONCURRENTLY idempotency_record_doubted ON idempotency_record (tenant_id, doubted_at)
  WHERE doubted_at IS NOT NULL;
