import type { Client, PayRequest, Sent } from './client.ts';

/** How a payment ended, as far as its shopper knows. */
export type PayEnd = 'paid' | 'refused' | 'released' | 'gave_up';

/**
 * A client that follows the rules: the same key until the outcome is known. A lost response is sent again, an unknown
 * outcome is waited for and never paid another way, and a definitive response ends it.
 */
export async function payWithKey(
  client: Client,
  request: PayRequest,
  stopWhenReleased: boolean,
): Promise<PayEnd> {
  for (;;) {
    const sent = await client.send(request);
    if (sent.kind !== 'responded') {
      await client.pause(250);
      continue;
    }
    if (sent.paid) return 'paid';
    if (sent.status === 202 && sent.operationId) {
      const status = await client.awaitOutcome(request, sent.operationId);
      if (status === 'failed_retryable' && stopWhenReleased) return 'released';
      continue;
    }
    if (!mayRetry(sent)) return 'refused';
    await client.pause(sent.retryAfterMs);
  }
}

/** In progress, or a problem of the moment: the same request may be sent again. */
function mayRetry({ status, code }: Extract<Sent, { kind: 'responded' }>): boolean {
  return code === 'idempotency_key_in_progress' || status >= 500;
}

/** A shopper at a checkout without protection: when something goes wrong, they do what the page says and try once more. */
export async function payNaively(client: Client, request: PayRequest): Promise<PayEnd> {
  let left = 0;
  for (;;) {
    const sent = await client.send(request);
    if (sent.kind === 'responded' && sent.status === 201) return 'paid';
    if (sent.kind === 'responded' && sent.status === 402) return 'refused';
    // A request that did not leave is simply sent again when the network or the server is back.
    if (sent.kind !== 'not_sent') left += 1;
    if (left === 2) return 'gave_up';
    await client.pause(250);
  }
}
