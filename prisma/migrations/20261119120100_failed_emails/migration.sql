-- The few that failed, which the console lists by themselves: without it, all e-mails of a tenant were read to find them.
CREATE INDEX CONCURRENTLY IF NOT EXISTS email_failed_idx ON email (tenant_id, created_at, id) WHERE status = 'failed';
