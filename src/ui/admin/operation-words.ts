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

export function outcomeWords(outcome: string, operation = 'payment.create'): string {
  if (operation === 'refund.create' && outcome === 'succeeded') return 'Paid back';
  return outcomes.get(outcome) ?? outcome;
}
