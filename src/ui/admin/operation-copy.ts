interface KindWords {
  /** What it is called. */
  readonly noun: string;
  /** What was asked for. */
  readonly asked: string;
  /** What is said of it when it went through, and when it is proven that it did not. */
  readonly done: string;
  readonly undone: string;
}

/** Every kind of operation there is, in words; a test of the list misses those that are not here. */
const kinds = new Map<string, KindWords>([
  ['payment.create', { noun: 'Payment', asked: 'Take a payment', done: 'Paid', undone: 'Not charged' }],
  ['refund.create', { noun: 'Refund', asked: 'Pay back', done: 'Paid back', undone: 'Not paid back' }],
]);

export function kindWords(operation: string): string {
  return kinds.get(operation)?.noun ?? operation;
}

export function askedWords(operation: string): string {
  return kinds.get(operation)?.asked ?? operation;
}

const outcomes = new Map([
  ['declined', 'Declined'],
  ['pending', 'Not decided'],
]);

export function outcomeWords(outcome: string, operation = 'payment.create'): string {
  if (outcome === 'succeeded') return kinds.get(operation)?.done ?? outcome;
  if (outcome === 'released') return kinds.get(operation)?.undone ?? outcome;
  return outcomes.get(outcome) ?? outcome;
}
