import type { OperationName, ProviderStateOf } from './operations/copy.ts';
import type { ProviderResult } from './provider.ts';

/** The provider's side of an operation at one moment. Plain data: it is shown, kept as evidence, and compared. */
export interface ProviderSnapshot<Name extends OperationName = OperationName> {
  readonly state: ProviderStateOf<Name>;
  /** Why there was no response. */
  readonly code?: string;
  readonly facts: {
    readonly id?: string;
    readonly chargeId?: string;
    readonly amountMinor?: number;
    readonly currency?: string;
    readonly reference?: string;
    readonly declineCode?: string;
    readonly createdAt?: string;
  };
}

/** Of a call that got no definitive response. It says nothing about the operation. */
export function snapshotWithoutEvidence(result: Exclude<ProviderResult, { kind: 'responded' }>) {
  const state = result.kind === 'rejected' ? 'refused' : 'no_response';
  return { state, code: result.code, facts: {} } as const;
}
