import type { EngineParts } from './engine.ts';
import type { OperationDefinition } from './operation.ts';
import { type Retention, StoreUnavailable, type TenantPolicy } from './ports.ts';

/**
 * The operation with one tenant's settings: read before the claim, and kept by the owner until the operation is resolved.
 *
 * A policy that cannot be read is a store that cannot be read. Falling back to the defaults could delete a key sooner
 * than its tenant was promised, and a deleted key can be executed again. Refusing costs nothing, because nothing has been
 * done yet; a reconciler that cannot read the policy tries again later.
 */
export async function operationFor<Tx>(
  parts: Pick<EngineParts<Tx>, 'leaseMs' | 'policy'>,
  operation: OperationDefinition<Tx>,
  tenantId: string,
): Promise<OperationDefinition<Tx>> {
  let policy: TenantPolicy = {};
  try {
    if (parts.policy) policy = await parts.policy(tenantId);
  } catch (error) {
    throw error instanceof StoreUnavailable ? error : new StoreUnavailable(error);
  }
  return {
    ...operation,
    leaseMs: operation.leaseMs ?? policy.leaseMs ?? parts.leaseMs,
    retention: inOrder({ ...operation.retention, ...policy.retention }),
  };
}

/** A tenant that sets one clock leaves the others as they are; the body still goes first, and the key last. */
function inOrder({ replayMs, bodyMs, metadataMs }: Retention): Retention {
  return { replayMs, bodyMs: Math.min(bodyMs, replayMs), metadataMs: Math.max(metadataMs, replayMs) };
}
