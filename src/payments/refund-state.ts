import type { PaymentProvider, ProviderRefund, WantedRefund } from './provider.ts';

export type RefundState =
  /** Undefined: the provider lists none, which proves nothing. */
  | {
      readonly kind: 'read';
      readonly state: ProviderRefund['state'] | undefined;
      readonly refundId: string | undefined;
      readonly amountMinor?: number | undefined;
      readonly currency?: string | undefined;
      /** The operation that made it, by our own metadata. */
      readonly operationId?: string | undefined;
    }
  | { readonly kind: 'no_evidence'; readonly code: string };

export async function readRefundState(provider: PaymentProvider, wanted: WantedRefund): Promise<RefundState> {
  const result = await provider.findRefund(wanted);
  if (result?.kind === 'responded') {
    const { state, id: refundId, operationId, amountMinor, currency } = result.refund;
    return { kind: 'read', state, refundId, operationId, amountMinor, currency };
  }
  if (!result || result.code === 'resource_missing') {
    return { kind: 'read', state: undefined, refundId: undefined };
  }
  return { kind: 'no_evidence', code: result.code };
}
