'use client';

import { useLayoutEffect } from 'react';
import { shopHeader, shopInHeader } from '#console/members/shop-header.ts';

let shown: string | undefined;

/** Says with every call which shop the page shows. The server refuses the call when another one was opened meanwhile. */
export function shopHeaders(): Record<string, string> {
  return shown === undefined ? {} : { [shopHeader]: shopInHeader(shown) };
}

/** While another shop is being opened, calls of the page are about neither. Undefined: none is shown. */
export function showShop(tenantId: string | undefined): void {
  shown = tenantId;
}

/** Set before the page's first calls, which effects make. */
export function ShopOfPage({ tenantId }: { tenantId: string }) {
  useLayoutEffect(() => {
    showShop(tenantId);
    return () => showShop(undefined);
  }, [tenantId]);
  return null;
}
