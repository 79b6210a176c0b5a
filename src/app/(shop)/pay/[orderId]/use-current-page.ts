import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

/** The renderings that were shown before in this document. */
const shown = new Set<number>();

/**
 * Going back in the browser brings an old rendering to light, out of the router's cache or the browser's own. What it
 * says about the order may long be untrue, so the server is asked again: a paid order leads to its receipt.
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
