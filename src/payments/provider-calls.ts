import type { OnBehalf, PaymentProvider, ProviderResult, RefundResult } from './provider.ts';

/** One finished call. It contains no card, key or amount: only the operation, the call, its duration and its result. */
export interface ProviderCall {
  readonly operationId: string;
  readonly tenantId: string;
  readonly call: 'create' | 'confirm' | 'retrieve' | 'cancel' | 'refund' | 'find_refund';
  /** By this process's monotonic clock; the writer counts back from the database's clock. */
  readonly startedMs: number;
  readonly durationMs: number;
  readonly outcome: ProviderResult['kind'] | 'not_found' | 'threw';
  /** Why there was no response, or the state in the response. */
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  /** How long the provider asked us to wait. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * The same provider, reporting every call once it is over. `onCall` must return at once and never throw: it runs between
 * the provider's response and the shopper's.
 */
export function withCallLog(
  provider: PaymentProvider,
  onCall: (call: ProviderCall) => void,
): PaymentProvider {
  async function logged<T extends ProviderResult | RefundResult | undefined>(
    call: ProviderCall['call'],
    of: OnBehalf | undefined,
    send: () => Promise<T>,
  ): Promise<T> {
    const startedMs = performance.now();
    const end = (result: Pick<ProviderCall, 'outcome' | 'code' | 'requestId' | 'retryAfterMs'>) => {
      const durationMs = performance.now() - startedMs;
      if (!of) return;
      const { operationId, tenantId } = of;
      onCall({ operationId, tenantId, call, startedMs, durationMs, ...result });
    };
    try {
      const result = await send();
      end({
        outcome: result?.kind ?? 'not_found',
        code: result && codeOf(result),
        requestId: result?.requestId,
        retryAfterMs: result?.kind === 'not_executed' ? result.retryAfterMs : undefined,
      });
      return result;
    } catch (error) {
      end({ outcome: 'threw', code: undefined, requestId: undefined });
      throw error;
    }
  }

  return {
    createIntent: (request) => logged('create', request, () => provider.createIntent(request)),
    confirmIntent: (id, request) => logged('confirm', request, () => provider.confirmIntent(id, request)),
    retrieveIntent: (id, of) => logged('retrieve', of, () => provider.retrieveIntent(id, of)),
    cancelIntent: (id, of) => logged('cancel', of, () => provider.cancelIntent(id, of)),
    createRefund: (request) => logged('refund', request, () => provider.createRefund(request)),
    findRefund: (request) => logged('find_refund', request, () => provider.findRefund(request)),
    // A receipt's page asks for it: that belongs to no operation.
    findCharges: (wanted) => provider.findCharges(wanted),
    ping: () => provider.ping(),
  };
}

function codeOf(result: ProviderResult | RefundResult): string {
  if (result.kind !== 'responded') return result.code;
  return 'intent' in result ? result.intent.state : result.refund.state;
}
