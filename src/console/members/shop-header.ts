/**
 * Names the shop that a page of the console shows. A session has one shop open, and another tab may open another: what a person
 * does on a page is meant for the shop whose name is on it.
 */
export const shopHeader = 'x-shop';

/** The header's value. A header cannot carry every text, and an address that a person typed may name the shop by any. */
export function shopInHeader(tenantId: string): string {
  return encodeURIComponent(tenantId);
}
