import type { OnBehalf, PaymentProvider, ProviderResult, RefundResult } from './provider.ts';

/** One call, as it is told afterwards. No card, no key, no amount: who asked what, how long it took, what came back. */
export interface ProviderCall {
  readonly operationId: string;
  readonly tenantId: string;
  readonly call: 'create' | 'confirm' | 'retrieve' | 'cancel' | 'refund' | 'find_refund';
  /** By this process's monotonic clock; whoever writes it down counts back from the database's. */
  readonly startedMs: number;
  readonly durationMs: number;
  readonly outcome: ProviderResult['kind'] | 'not_found' | 'threw';
  /** Why there was no answer, or the state that was answered. */
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  /** For how long the provider asked to be left alone. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * The same provider, telling of every call once it is over. `told` must return at once and never throw: it stands
 * between a shopper and the answer to their payment.
 */
export function withCallLog(provider: PaymentProvider, told: (call: ProviderCall) => void): PaymentProvider {
  async function tell<T extends ProviderResult | RefundResult | undefined>(
    call: ProviderCall['call'],
    of: OnBehalf | undefined,
    asked: () => Promise<T>,
  ): Promise<T> {
    const startedMs = performance.now();
    const end = (result: Pick<ProviderCall, 'outcome' | 'code' | 'requestId' | 'retryAfterMs'>) => {
      const durationMs = performance.now() - startedMs;
      if (!of) return;
      const { operationId, tenantId } = of;
      told({ operationId, tenantId, call, startedMs, durationMs, ...result });
    };
    try {
      const result = await asked();
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
    createIntent: (request) => tell('create', request, () => provider.createIntent(request)),
    confirmIntent: (id, request) => tell('confirm', request, () => provider.confirmIntent(id, request)),
    retrieveIntent: (id, of) => tell('retrieve', of, () => provider.retrieveIntent(id, of)),
    cancelIntent: (id, of) => tell('cancel', of, () => provider.cancelIntent(id, of)),
    createRefund: (request) => tell('refund', request, () => provider.createRefund(request)),
    findRefund: (request) => tell('find_refund', request, () => provider.findRefund(request)),
    // Somebody looks at a receipt: that is about no operation.
    findCharges: (wanted) => provider.findCharges(wanted),
    ping: () => provider.ping(),
  };
}

function codeOf(result: ProviderResult | RefundResult): string {
  if (result.kind !== 'answered') return result.code;
  return 'intent' in result ? result.intent.state : result.refund.state;
}
