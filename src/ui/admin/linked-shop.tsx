'use client';

import { useRouter } from 'next/navigation';
import { createContext, type ReactNode, useCallback, useContext } from 'react';
import { addressInShop, shopParameter } from './shop-address.ts';

const LinkedShop = createContext<string | undefined>(undefined);

/** The shop that the addresses of the page name. Undefined for a person with one shop: no other can be opened in another tab. */
export function LinkedShopProvider({
  tenantId,
  children,
}: {
  tenantId: string | undefined;
  children: ReactNode;
}) {
  return <LinkedShop value={tenantId}>{children}</LinkedShop>;
}

/** The address, with the shop of the page. */
export function useShopAddress(): (address: string) => string {
  const tenantId = useContext(LinkedShop);
  return useCallback((address) => addressInShop(address, tenantId), [tenantId]);
}

/** Opens a page of the console, as a link does. */
export function useOpenPage(): (address: string) => void {
  const { push } = useRouter();
  const inShop = useShopAddress();
  return useCallback((address) => push(inShop(address)), [push, inShop]);
}

/** For a form whose fields become the address. */
export function ShopField() {
  const tenantId = useContext(LinkedShop);
  return tenantId && <input type="hidden" name={shopParameter} value={tenantId} />;
}
