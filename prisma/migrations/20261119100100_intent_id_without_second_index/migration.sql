-- The unique index has the same columns.
DROP INDEX CONCURRENTLY IF EXISTS payment_tenant_id_provider_intent_id_idx;
