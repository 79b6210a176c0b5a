-- The poller takes the checks of all tenants in turn: the longest due of each, without reading past all those of one that has many.
CREATE INDEX CONCURRENTLY IF NOT EXISTS idempotency_record_checks_by_tenant
  ON idempotency_record (tenant_id, next_check_at) WHERE status = 'unknown';
