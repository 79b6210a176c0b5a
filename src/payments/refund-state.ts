import type { PaymentProvider, ProviderRefund, RefundRequest } from './provider.ts';

export type RefundState =
  /** Undefined: the provider lists none, which proves nothing. */
  | { readonly kind: 'read'; readonly state: ProviderRefund['state'] | undefined }
  | { readonly kind: 'no_evidence'; readonly code: string };

export async function readRefundState(
  provider: PaymentProvider,
  request: RefundRequest,
): Promise<RefundState> {
  const result = await provider.findRefund(request);
  if (result?.kind === 'responded') return { kind: 'read', state: result.refund.state };
  if (!result || result.code === 'resource_missing') return { kind: 'read', state: undefined };
  return { kind: 'no_evidence', code: result.code };
}
