-- As for e-mails: the console lists the deliveries that failed by themselves.
CREATE INDEX CONCURRENTLY IF NOT EXISTS merchant_webhook_delivery_failed_idx
  ON merchant_webhook_delivery (tenant_id, created_at, id) WHERE status = 'failed';
