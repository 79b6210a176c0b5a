import { useEffect } from 'react';
import { useRefresh } from './use-refresh.ts';

/** The renderings that this document has already shown. */
const shown = new Set<number>();

/**
 * Refreshes a rendering that comes from the router's cache or the back-forward cache, because the order may have changed
 * since: the page of a paid order redirects to its receipt. `whenChosen` refreshes it also when its tab is chosen again.
 */
export function useCurrentPage(renderedAt: number, { whenChosen = false } = {}): void {
  const refresh = useRefresh();
  useEffect(() => {
    if (shown.has(renderedAt)) void refresh();
    shown.add(renderedAt);
  }, [renderedAt, refresh]);
  useEffect(() => {
    const onPageShow = (event: PageTransitionEvent) => event.persisted && void refresh();
    window.addEventListener('pageshow', onPageShow);
    return () => window.removeEventListener('pageshow', onPageShow);
  }, [refresh]);
  useEffect(() => {
    if (!whenChosen) return;
    const onChange = () => document.visibilityState === 'visible' && void refresh();
    document.addEventListener('visibilitychange', onChange);
    return () => document.removeEventListener('visibilitychange', onChange);
  }, [whenChosen, refresh]);
}
