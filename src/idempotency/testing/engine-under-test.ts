import { randomBytes, randomUUID } from 'node:crypto';
import { createEngine, type Engine } from '../engine.ts';
import type { EngineEvent } from '../events.ts';
import type { CompletedVerdict, OperationDefinition, OperationRequest } from '../operation.ts';
import type { IdempotencyStore, TenantPolicy } from '../ports.ts';
import { createResponseCipher } from '../response-cipher.ts';
import { createMemoryStore, type MemoryTx } from '../stores/memory.ts';

export interface EngineUnderTest {
  readonly engine: Engine<MemoryTx>;
  readonly store: IdempotencyStore<MemoryTx>;
  readonly events: EngineEvent[];
  /** Advances the store's clock. */
  advance(ms: number): void;
}

export function createEngineUnderTest(
  wrap: (store: IdempotencyStore<MemoryTx>) => IdempotencyStore<MemoryTx> = (store) => store,
  tenantPolicy?: (tenantId: string) => Promise<TenantPolicy>,
): EngineUnderTest {
  let now = 1_000_000;
  const events: EngineEvent[] = [];
  const memory = createMemoryStore(() => now);
  const store = wrap(memory);
  const cipher = createResponseCipher([{ id: 'k1', key: randomBytes(32) }]);
  const engine = createEngine({
    store,
    cipher,
    signal: memory,
    leaseMs: 30_000,
    ...(tenantPolicy && { tenantPolicy }),
    observe: (event) => events.push(event),
  });
  return { engine, store, events, advance: (ms) => (now += ms) };
}

export const operation: OperationDefinition<MemoryTx> = {
  name: 'test.run',
  apiVersion: '1',
  recoveryPoints: { claimed: 'unsent', prepared: 'unsent', sent: 'sent' },
  retention: { replayMs: 60_000, bodyMs: 60_000, metadataMs: 600_000 },
  checks: { firstInMs: 1_000, pausesMs: [] },
  responseSchemaVersion: 1,
  retryAfterSeconds: 1,
};

export function request(
  over: Partial<OperationRequest> & { keyHeader?: string } = {},
): OperationRequest & { keyHeader: string } {
  return { tenantId: 'acme', principal: 'alice', keyHeader: randomUUID(), input: { amount: 1000 }, ...over };
}

export function completed<T>(body: T): CompletedVerdict<T, MemoryTx> {
  return { kind: 'completed', status: 201, body, cause: 'test' };
}
