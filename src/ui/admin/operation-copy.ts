interface KindCopy {
  /** The name of the kind. */
  readonly noun: string;
  /** The command. */
  readonly asked: string;
  /** The outcome when it succeeded, and when it is proven that it did not happen. */
  readonly done: string;
  readonly undone: string;
}

/** Every kind of operation; a test fails for those that are missing here. */
const kinds = new Map<string, KindCopy>([
  ['payment.create', { noun: 'Payment', asked: 'Take a payment', done: 'Paid', undone: 'Not charged' }],
  ['refund.create', { noun: 'Refund', asked: 'Pay back', done: 'Paid back', undone: 'Not paid back' }],
]);

export function kindCopy(operation: string): string {
  return kinds.get(operation)?.noun ?? operation;
}

export function requestedCopy(operation: string): string {
  return kinds.get(operation)?.asked ?? operation;
}

const outcomes = new Map([
  ['declined', 'Declined'],
  ['pending', 'Not decided'],
]);

export function outcomeCopy(outcome: string, operation = 'payment.create'): string {
  if (outcome === 'succeeded') return kinds.get(operation)?.done ?? outcome;
  if (outcome === 'released') return kinds.get(operation)?.undone ?? outcome;
  return outcomes.get(outcome) ?? outcome;
}
