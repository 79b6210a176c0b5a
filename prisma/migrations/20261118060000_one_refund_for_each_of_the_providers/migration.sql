-- One refund at the provider is booked once in a tenant, whichever operation it is found for.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS refund_tenant_id_provider_refund_id_key
  ON refund (tenant_id, provider_refund_id);
