-- While the table is empty, all its indexes that begin with tenant_id seem equally good, and PostgreSQL takes the one that was
-- created last. The foreign keys of the ledger and the outbox look payments up by (tenant_id, id): with a plan from that time
-- they would read all payments of the tenant, until the table is analyzed. As the last index, the primary key is taken.
REINDEX INDEX CONCURRENTLY payment_pkey;
