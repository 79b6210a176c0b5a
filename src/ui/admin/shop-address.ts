/**
 * Names, in the address of a link or a download, the shop of the page that it is on. A session has one shop open, and another tab may
 * open another: the server then refuses the address instead of showing that shop in the place of this one.
 */
export const shopParameter = 'tenant';

/** The address with the shop, if one is given and the address is of the console. */
export function addressInShop(address: string, tenantId: string | undefined): string {
  if (tenantId === undefined || !/^\/admin(?:[/?#]|$)/.test(address)) return address;
  const { pathname, searchParams, hash } = new URL(address, 'http://here.invalid');
  searchParams.set(shopParameter, tenantId);
  return `${pathname}?${searchParams}${hash}`;
}

/** The shop that an address names. */
export function shopOfAddress(address: string): string | undefined {
  return new URL(address, 'http://here.invalid').searchParams.get(shopParameter) ?? undefined;
}
