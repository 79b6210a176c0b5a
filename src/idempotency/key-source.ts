import { createHash } from 'node:crypto';
import { type KeyResult, readKeyHeader } from './key.ts';
import type { IdempotencyStore } from './ports.ts';

/**
 * Where an operation's key comes from.
 *
 * - header: the client names the attempt. The default, and the only one that survives every kind of retry.
 * - natural: the input carries a name that the business already keeps unique, such as an invoice number.
 * - body: for clients that cannot send a key. The same command within the window counts as a retry. A client that
 *   means "this one is new" says so by sending an Idempotency-Key after all; the header always wins.
 */
export type KeySource =
  | { readonly from: 'header' }
  | { readonly from: 'natural'; readonly of: (input: unknown) => string }
  | { readonly from: 'body'; readonly windowMs: number };

export interface KeyRequest {
  readonly tenantId: string;
  readonly operation: string;
  readonly principal: string;
  readonly keyHeader: string | readonly string[] | null | undefined;
  readonly input: unknown;
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
    case 'natural':
      // Hashed: business names may be short, or tell about people.
      return { kind: 'key', key: `natural-${sha256(source.of(request.input))}` };
    case 'body': {
      const explicit = readKeyHeader(request.keyHeader);
      if (explicit.kind !== 'missing') return explicit;
      const { tenantId, operation } = request;
      // Two people may wish for the same thing: a window is one caller's own.
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
