import type { EngineOptions } from './engine.ts';
import type { OperationDefinition } from './operation.ts';
import { type Retention, StoreUnavailable, type TenantPolicy } from './ports.ts';

/**
 * The operation with the settings of one tenant. It is read before the claim, and the owner keeps it until the operation
 * is resolved.
 *
 * A policy that cannot be read counts as an unavailable store. The defaults could delete a key sooner than its tenant was
 * promised, and a deleted key can be executed again. Refusing is safe, because nothing has been done yet; a reconciler
 * that cannot read the policy tries again later.
 */
export async function applyTenantPolicy<Tx>(
  options: Pick<EngineOptions<Tx>, 'leaseMs' | 'tenantPolicy'>,
  operation: OperationDefinition<Tx>,
  tenantId: string,
): Promise<OperationDefinition<Tx>> {
  let policy: TenantPolicy = {};
  try {
    if (options.tenantPolicy) policy = await options.tenantPolicy(tenantId);
  } catch (error) {
    throw error instanceof StoreUnavailable ? error : new StoreUnavailable(error);
  }
  return {
    ...operation,
    leaseMs: operation.leaseMs ?? policy.leaseMs ?? options.leaseMs,
    retention: keepOrder({ ...operation.retention, ...policy.retention }),
  };
}

/** A tenant may set one period only. The body is still purged no later, and the record deleted no sooner, than the key expires. */
function keepOrder({ replayMs, bodyMs, metadataMs }: Retention): Retention {
  return { replayMs, bodyMs: Math.min(bodyMs, replayMs), metadataMs: Math.max(metadataMs, replayMs) };
}
