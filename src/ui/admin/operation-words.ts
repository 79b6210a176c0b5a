const kinds = new Map([
  ['payment.create', 'Payment'],
  ['refund.create', 'Refund'],
]);

export function kindWords(operation: string): string {
  return kinds.get(operation) ?? operation;
}

const outcomes = new Map([
  ['succeeded', 'Paid'],
  ['declined', 'Declined'],
  ['pending', 'Not decided'],
  ['released', 'Not charged'],
]);

export function outcomeWords(outcome: string): string {
  return outcomes.get(outcome) ?? outcome;
}
