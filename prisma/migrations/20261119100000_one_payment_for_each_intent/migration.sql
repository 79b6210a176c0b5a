-- One intent at the provider is booked once in a tenant, whichever payment it is found for.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS payment_tenant_id_provider_intent_id_key
  ON payment (tenant_id, provider_intent_id);
