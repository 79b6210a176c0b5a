import type { FactOfBothSides, OperationKind, OurSide, ProviderSnapshot } from '#payments/index.ts';

/** Undefined when the provider gave no facts: then nothing is compared, and no difference is shown. */
export function compareSides(
  kind: Pick<OperationKind, 'agreeingStates' | 'compareFacts'>,
  ours: OurSide,
  snapshot: ProviderSnapshot,
): FactOfBothSides[] | undefined {
  const { state: theirs } = snapshot;
  if (theirs === 'no_response' || theirs === 'refused' || theirs === 'missing') return undefined;
  const state: FactOfBothSides = {
    name: 'State',
    kind: 'state',
    ours: ours.own.status,
    theirs,
    differs: !kind.agreeingStates[ours.own.status]?.includes(theirs),
  };
  const facts = kind.compareFacts(ours, snapshot);
  return [state, ...facts.filter((fact) => fact.ours !== null || fact.theirs !== null)];
}
