import type { Money } from '#payments/money.ts';
import { commonCopy, findCopy, operationOfAssertion } from '#payments/operations/copy.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { ownText } from './operation-copy.ts';

type Examined = NonNullable<RouterOutputs['operation']['examine']>['admissibilities'][number];
export type Admissibility = Examined['admissibility'];

/** The assertion of a stored proposal is text: one that this version does not know is shown as it is. */
export function assertionLabel(assertion: string): string {
  return copyOf(assertion)?.label ?? assertion;
}

function copyOf(assertion: string) {
  const operation = operationOfAssertion(assertion);
  return operation && findCopy(operation)?.assertions[assertion];
}

/** Whether the evidence admits an assertion. */
export function admissibilityCopy(admissibility: Admissibility, operation: string): string {
  switch (admissibility.kind) {
    case 'proven':
      return 'The provider confirms this.';
    case 'cancel_first':
      return 'Cancelling it at the provider makes this certain.';
    case 'override':
      return 'The provider neither confirms nor denies this.';
    case 'refused':
      return refusalCopy(admissibility.why, operation);
  }
}

export function refusalCopy(why: string, operation: string): string {
  const common: Partial<Record<string, string>> = commonCopy.refusals;
  return ownText(operation, 'refusals', why) ?? common[why] ?? why.replaceAll('_', ' ');
}

/** What an assertion does: to the ledger, and for the shopper. */
export function consequenceCopy(
  assertion: string,
  about: { readonly admissibility: Admissibility; readonly providerState: string; readonly amount: Money },
): string {
  const { admissibility, providerState, amount } = about;
  const copy = copyOf(assertion);
  return copy?.consequence({ amount, providerState, cancels: admissibility.kind === 'cancel_first' }) ?? '';
}

/** The provider's state of an operation. */
export function providerStateCopy(state: string, operation: string): string {
  const common: Partial<Record<string, string>> = commonCopy.providerStates;
  return ownText(operation, 'providerStates', state) ?? common[state] ?? state.replaceAll('_', ' ');
}

/** The state of the operation's own row. */
export function ownStateCopy(status: string, operation: string): string {
  return ownText(operation, 'ownStates', status) ?? status.replaceAll('_', ' ');
}

export const proposalCopy = {
  open: 'Waiting for a second person',
  approved: 'Approved',
  rejected: 'Rejected',
  void: 'Void',
  withdrawn: 'Withdrawn',
  closed: 'Approved, and closed without a refund',
} as const;
