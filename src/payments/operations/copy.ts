// Read by the browser too: it imports nothing but texts. The operations themselves are in registry.ts.
import { createPaymentCopy } from './create-payment/copy.ts';
import { createRefundCopy } from './create-refund/copy.ts';
import { commonCopy, type OperationCopy } from './operation-copy.ts';
import { payOrderCopy } from './pay-order/copy.ts';

export { commonCopy, type OperationCopy };

/** Every operation by its name, in the order in which people see them. */
export const operationCopy = {
  'order.pay': payOrderCopy,
  'payment.create': createPaymentCopy,
  'refund.create': createRefundCopy,
} as const satisfies Readonly<Record<string, OperationCopy>>;

export type OperationName = keyof typeof operationCopy;
export const operationNames = Object.keys(operationCopy) as [OperationName, ...OperationName[]];

/** One value for each operation. */
export function byOperation<T>(read: (name: OperationName) => T): Readonly<Record<OperationName, T>> {
  const entries = operationNames.map((name) => [name, read(name)] as const);
  return Object.fromEntries(entries) as Record<OperationName, T>;
}

/** Undefined: the record was written by a version of the app that knows more operations, or other ones, than this. */
export function findCopy(operation: string): OperationCopy | undefined {
  return Object.hasOwn(operationCopy, operation) ? operationCopy[operation as OperationName] : undefined;
}

/** The vocabulary of an operation, from the keys of its copy. */
type CopyOf<Name extends OperationName> = (typeof operationCopy)[Name];
type KeysOf<Name extends OperationName, Part extends keyof OperationCopy> = Name extends OperationName
  ? string & keyof CopyOf<Name>[Part]
  : never;

export type RecoveryPointOf<Name extends OperationName> = KeysOf<Name, 'recoveryPoints'>;
export type OwnStateOf<Name extends OperationName> = KeysOf<Name, 'ownStates'>;
export type ProviderStateOf<Name extends OperationName> =
  | KeysOf<Name, 'providerStates'>
  | keyof typeof commonCopy.providerStates;
export type AssertionOf<Name extends OperationName> = KeysOf<Name, 'assertions'>;
export type RefusalOf<Name extends OperationName> =
  | KeysOf<Name, 'refusals'>
  | keyof typeof commonCopy.refusals;
export type CompletionOf<Name extends OperationName> = string & keyof CopyOf<Name>['reconciled']['completed'];

/** What an operator can assert about some operation. */
export type Assertion = AssertionOf<OperationName>;
export const assertions = operationNames.flatMap((name) => Object.keys(operationCopy[name].assertions)) as [
  Assertion,
  ...Assertion[],
];

/** An operation that an assertion can be about. Others have an assertion of that name only if they share its text. */
export function operationOfAssertion(assertion: string): OperationName | undefined {
  return operationNames.find((name) => Object.hasOwn(operationCopy[name].assertions, assertion));
}
