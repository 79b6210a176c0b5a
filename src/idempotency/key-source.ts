import { createHash } from 'node:crypto';
import { type KeyResult, readKeyHeader } from './key.ts';
import type { OperationRequest } from './operation.ts';
import type { IdempotencyStore } from './ports.ts';

/**
 * Where an operation's key comes from.
 *
 * - `header`: the client makes the key. This is the default, and the only source that covers every kind of retry.
 * - `natural`: the input contains a business key that is already unique, such as an invoice number.
 * - `body`: for clients that cannot send a key. An equal command within the window counts as a retry. A client whose
 *   command is new although it is equal sends an Idempotency-Key; the header takes precedence.
 */
export type KeySource =
  | { readonly from: 'header' }
  | { readonly from: 'natural'; readonly keyOf: (input: unknown) => string }
  | { readonly from: 'body'; readonly windowMs: number };

export interface KeyRequest extends OperationRequest {
  readonly operation: string;
  readonly fingerprint: string;
}

export async function resolveKey<Tx>(
  store: IdempotencyStore<Tx>,
  source: KeySource,
  request: KeyRequest,
): Promise<KeyResult> {
  switch (source.from) {
    case 'header':
      return readKeyHeader(request.keyHeader);
    case 'natural': {
      const businessKey = source.keyOf(request.input);
      // All commands without one would have the same key.
      if (!businessKey) return { kind: 'missing' };
      // Hashed, because a business key may be too short for a key, or personal data.
      return { kind: 'key', key: `natural-${sha256(businessKey)}` };
    }
    case 'body': {
      const explicit = readKeyHeader(request.keyHeader);
      if (explicit.kind !== 'missing') return explicit;
      const { tenantId, operation } = request;
      // Two principals may send equal commands, so each has a window of its own.
      const fingerprint = sha256(JSON.stringify([request.principal, request.fingerprint]));
      return {
        kind: 'key',
        key: await store.bodyKey({ tenantId, operation, fingerprint, windowMs: source.windowMs }),
      };
    }
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
