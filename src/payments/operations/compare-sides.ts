import { formatMoney, isCurrency } from '../money.ts';
import type { ProviderSnapshot } from '../provider-snapshot.ts';
import type { FactOfBothSides } from './operation-kind.ts';

/** A fact that differs when the two values do. */
export function factOf(
  name: string,
  kind: FactOfBothSides['kind'],
  ours: string | null,
  theirs: string | null | undefined,
): FactOfBothSides {
  return { name, kind, ours, theirs: theirs ?? null, differs: ours !== (theirs ?? null) };
}

/** The provider's amount as text. */
export function amountIn({ amountMinor, currency }: ProviderSnapshot['facts']): string | null {
  if (amountMinor === undefined || !currency || !isCurrency(currency)) return null;
  return formatMoney({ amountMinor, currency });
}
