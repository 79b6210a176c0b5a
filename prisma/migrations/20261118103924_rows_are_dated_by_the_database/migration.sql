-- Prisma fills in a default of `now()` by itself, from the clock of the process. With any other function it leaves the column to
-- PostgreSQL.
ALTER TABLE account ALTER COLUMN created_at SET DEFAULT statement_timestamp();
ALTER TABLE api_key ALTER COLUMN created_at SET DEFAULT statement_timestamp();
ALTER TABLE audit_entry ALTER COLUMN at SET DEFAULT statement_timestamp();
ALTER TABLE check_pause ALTER COLUMN paused_at SET DEFAULT statement_timestamp();
ALTER TABLE email ALTER COLUMN created_at SET DEFAULT statement_timestamp();
ALTER TABLE idempotency_record ALTER COLUMN created_at SET DEFAULT statement_timestamp(),
ALTER COLUMN updated_at SET DEFAULT statement_timestamp();
ALTER TABLE inbox_message ALTER COLUMN received_at SET DEFAULT statement_timestamp();
ALTER TABLE invitation ALTER COLUMN created_at SET DEFAULT statement_timestamp();
ALTER TABLE key_misuse ALTER COLUMN first_at SET DEFAULT statement_timestamp(),
ALTER COLUMN last_at SET DEFAULT statement_timestamp();
ALTER TABLE ledger_entry ALTER COLUMN at SET DEFAULT statement_timestamp();
ALTER TABLE member ALTER COLUMN created_at SET DEFAULT statement_timestamp();
ALTER TABLE merchant_webhook_delivery ALTER COLUMN created_at SET DEFAULT statement_timestamp();
ALTER TABLE merchant_webhook_endpoint ALTER COLUMN created_at SET DEFAULT statement_timestamp();
ALTER TABLE organization ALTER COLUMN created_at SET DEFAULT statement_timestamp();
ALTER TABLE outbox_event ALTER COLUMN created_at SET DEFAULT statement_timestamp();
ALTER TABLE payment ALTER COLUMN created_at SET DEFAULT statement_timestamp();
ALTER TABLE provider_circuit ALTER COLUMN changed_at SET DEFAULT statement_timestamp();
ALTER TABLE provider_event ALTER COLUMN received_at SET DEFAULT statement_timestamp();
ALTER TABLE receipt ALTER COLUMN issued_at SET DEFAULT statement_timestamp();
ALTER TABLE reconciliation_exception ALTER COLUMN found_at SET DEFAULT statement_timestamp();
ALTER TABLE refund ALTER COLUMN created_at SET DEFAULT statement_timestamp();
ALTER TABLE refund_limit ALTER COLUMN updated_at SET DEFAULT statement_timestamp();
ALTER TABLE refund_proposal ALTER COLUMN proposed_at SET DEFAULT statement_timestamp();
ALTER TABLE resolution_proposal ALTER COLUMN proposed_at SET DEFAULT statement_timestamp();
ALTER TABLE saved_view ALTER COLUMN created_at SET DEFAULT statement_timestamp();
ALTER TABLE session ALTER COLUMN created_at SET DEFAULT statement_timestamp(),
ALTER COLUMN active_at SET DEFAULT statement_timestamp(),
ALTER COLUMN confirmed_at SET DEFAULT statement_timestamp();
ALTER TABLE shop_order ALTER COLUMN created_at SET DEFAULT statement_timestamp();
ALTER TABLE tenant_settings ALTER COLUMN updated_at SET DEFAULT statement_timestamp();
ALTER TABLE "user" ALTER COLUMN created_at SET DEFAULT statement_timestamp();
ALTER TABLE verification ALTER COLUMN created_at SET DEFAULT statement_timestamp();
