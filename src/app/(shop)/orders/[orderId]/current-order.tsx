'use client';

import { useCurrentPage } from '#app/(shop)/use-current-page.ts';

/** Keeps an order's page that is not watched from being read when it is outdated: after Back, or in a tab that was left open. */
export function CurrentOrder({ renderedAt }: { renderedAt: number }): null {
  useCurrentPage(renderedAt, { whenChosen: true });
  return null;
}
