import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

/** The renderings that were shown before in this document. */
const shown = new Set<number>();

/**
 * Going back in the browser shows an old rendering, from the router's cache or the browser's own. The order may have
 * changed since, so the page is refreshed: a paid order leads to its receipt.
 */
export function useCurrentPage(renderedAt: number): void {
  const router = useRouter();
  useEffect(() => {
    if (shown.has(renderedAt)) router.refresh();
    shown.add(renderedAt);
  }, [renderedAt, router]);
  useEffect(() => {
    const revived = (event: PageTransitionEvent) => event.persisted && router.refresh();
    window.addEventListener('pageshow', revived);
    return () => window.removeEventListener('pageshow', revived);
  }, [router]);
}
