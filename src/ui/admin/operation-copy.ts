import { findCopy, type OperationCopy } from '#payments/operations/copy.ts';

// A record of an operation that this version does not know is shown by its name.

export function kindCopy(operation: string): string {
  return findCopy(operation)?.noun ?? operation;
}

export function requestedCopy(operation: string): string {
  return findCopy(operation)?.requested ?? operation;
}

const outcomes = new Map([
  ['declined', 'Declined'],
  ['pending', 'Not decided'],
]);

export function outcomeCopy(outcome: string, operation: string): string {
  const own = findCopy(operation)?.outcomes;
  const named =
    outcome === 'succeeded' || outcome === 'released' || outcome === 'failed' ? own?.[outcome] : undefined;
  return named ?? outcomes.get(outcome) ?? outcome;
}

/** A text of the operation by its key. */
export function ownText(
  operation: string,
  part: 'recoveryPoints' | 'causes' | 'ownStates' | 'providerStates' | 'refusals',
  key: string,
): string | undefined {
  const texts: OperationCopy[typeof part] | undefined = findCopy(operation)?.[part];
  return texts && Object.hasOwn(texts, key) ? texts[key] : undefined;
}
