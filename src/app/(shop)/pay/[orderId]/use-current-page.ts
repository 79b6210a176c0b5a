import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

/** The renderings that this document has already shown. */
const shown = new Set<number>();

/**
 * Refreshes a rendering that comes from the router's cache or the back-forward cache, because the order may have changed
 * since: the page of a paid order redirects to its receipt.
 */
export function useCurrentPage(renderedAt: number): void {
  const router = useRouter();
  useEffect(() => {
    if (shown.has(renderedAt)) router.refresh();
    shown.add(renderedAt);
  }, [renderedAt, router]);
  useEffect(() => {
    const onPageShow = (event: PageTransitionEvent) => event.persisted && router.refresh();
    window.addEventListener('pageshow', onPageShow);
    return () => window.removeEventListener('pageshow', onPageShow);
  }, [router]);
}
