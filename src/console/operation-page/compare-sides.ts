import type { FactOfBothSides, OperationKind, OurSide, ProviderSnapshot } from '#payments/index.ts';

/** Undefined where the provider did not respond: then there is nothing to compare, and no difference to claim. */
export function compareSides(
  kind: Pick<OperationKind, 'agreeingStates' | 'compareFacts'>,
  ours: OurSide,
  snapshot: ProviderSnapshot,
): FactOfBothSides[] | undefined {
  const { says } = snapshot;
  if (says === 'silent' || says === 'refused' || says === 'missing') return undefined;
  const state: FactOfBothSides = {
    name: 'State',
    kind: 'state',
    ours: ours.own.status,
    theirs: says,
    differs: !kind.agreeingStates[ours.own.status]?.includes(says),
  };
  const facts = kind.compareFacts(ours, snapshot);
  return [state, ...facts.filter((fact) => fact.ours !== null || fact.theirs !== null)];
}
