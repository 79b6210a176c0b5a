-- While the table is empty, all its indexes that begin with tenant_id seem equally good, and PostgreSQL takes the one that was
-- created last. With a plan from that time, a record that is found by its id alone was found by reading all of its tenant's. As
-- the last index, the primary key is taken.
REINDEX INDEX CONCURRENTLY idempotency_record_pkey;
