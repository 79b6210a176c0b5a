import type { PaymentProvider, ProviderRefund, WantedRefund } from './provider.ts';

export type RefundState =
  /** Undefined: the provider lists none, which proves nothing. */
  | {
      readonly kind: 'read';
      readonly state: ProviderRefund['state'] | undefined;
      readonly refundId: string | undefined;
    }
  | { readonly kind: 'no_evidence'; readonly code: string };

export async function readRefundState(provider: PaymentProvider, wanted: WantedRefund): Promise<RefundState> {
  const result = await provider.findRefund(wanted);
  if (result?.kind === 'responded') {
    return { kind: 'read', state: result.refund.state, refundId: result.refund.id };
  }
  if (!result || result.code === 'resource_missing') {
    return { kind: 'read', state: undefined, refundId: undefined };
  }
  return { kind: 'no_evidence', code: result.code };
}
