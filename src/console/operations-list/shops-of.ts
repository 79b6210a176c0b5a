import type { Membership } from '../members/membership.ts';
import { allShops, type OperationFilter } from './operation-filter.ts';

/**
 * The shops that a filter covers: the current one, another of the person's shops, or all of them. A shop that is not
 * theirs is treated like one that does not exist: the filter then covers the current shop.
 */
export function shopsOf(
  member: Membership & { readonly shops: readonly Membership[] },
  wanted: string | undefined,
): readonly Membership[] {
  if (wanted === allShops) return member.shops;
  const chosen = member.shops.find(({ tenantSlug }) => tenantSlug === wanted);
  return [chosen ?? member];
}

/** The filter for members of these shops. A viewer of one of them finds keys by the whole of them only. */
export function filterFor(shops: readonly Membership[], filter: OperationFilter): OperationFilter {
  return { ...filter, wholeKeys: shops.some(({ role }) => role === 'viewer') };
}
