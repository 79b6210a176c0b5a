-- Of all indexes that begin with tenant_id, PostgreSQL takes the one that was created last while the table is empty: see the
-- migration that did this first. The unique index on intents would be that one.
REINDEX INDEX CONCURRENTLY payment_pkey;
