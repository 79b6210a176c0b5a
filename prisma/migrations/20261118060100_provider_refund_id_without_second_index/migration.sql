-- The unique index has the same columns.
DROP INDEX CONCURRENTLY IF EXISTS refund_tenant_id_provider_refund_id_idx;
