import type { Membership } from '../members/membership.ts';
import { allShops } from './operation-filter.ts';

/**
 * Which shops a filter is about: the one the person is in, another of theirs, or all of theirs. A shop that is not
 * theirs is treated like one that does not exist: they see their own.
 */
export function shopsOf(
  member: Membership & { readonly shops: readonly Membership[] },
  wanted: string | undefined,
): readonly Membership[] {
  if (wanted === allShops) return member.shops;
  const chosen = member.shops.find(({ tenantSlug }) => tenantSlug === wanted);
  return [chosen ?? member];
}
