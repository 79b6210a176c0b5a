import { type CallName, callNames, decorateProvider } from './decorate-provider.ts';
import type { PaymentProvider, ProviderResult } from './provider.ts';

/** One finished call. It contains no card, key or amount: only the operation, the call, its duration and its result. */
export interface ProviderCall {
  readonly operationId: string;
  readonly tenantId: string;
  readonly call: CallName;
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
  return decorateProvider(provider, async ({ method, operation }, send) => {
    const call = callNames[method];
    if (!operation || !call) return send();
    const { operationId, tenantId } = operation;
    const startedMs = performance.now();
    const end = (result: CallResult) => {
      const durationMs = performance.now() - startedMs;
      onCall({ operationId, tenantId, call, startedMs, durationMs, ...result });
    };
    try {
      const result = await send();
      end(describe(result ?? undefined));
      return result;
    } catch (error) {
      end({ outcome: 'threw', code: undefined, requestId: undefined });
      throw error;
    }
  });
}

type CallResult = Pick<ProviderCall, 'outcome' | 'code' | 'requestId' | 'retryAfterMs'>;

type AnyResult = Exclude<Awaited<ReturnType<PaymentProvider[keyof PaymentProvider]>>, void>;

function describe(result: AnyResult | undefined): CallResult {
  if (!result) return { outcome: 'not_found', code: undefined, requestId: undefined };
  const retryAfterMs = result.kind === 'not_executed' ? result.retryAfterMs : undefined;
  const requestId = 'requestId' in result ? result.requestId : undefined;
  return { outcome: result.kind, code: codeOf(result), requestId, retryAfterMs };
}

function codeOf(result: AnyResult): string | undefined {
  if (result.kind !== 'responded') return result.code;
  if ('intent' in result) return result.intent.state;
  return 'refund' in result ? result.refund.state : undefined;
}
