'use client';

import { useRouter } from 'next/navigation';
import { useCallback, useEffect } from 'react';
import { serverResponds } from '#app/server-responds.ts';

/** Has the server render the page again and returns true; if it does not respond, the page stays as it is. */
export function useRefresh(): (over?: AbortSignal) => Promise<boolean> {
  const router = useRouter();
  return useCallback(
    async (over = new AbortController().signal) => {
      const responds = await serverResponds(over);
      if (responds) router.refresh();
      return responds;
    },
    [router],
  );
}

/** Refreshes the page at an interval while something on it is still open. */
export function useRefreshing(on: boolean, everyMs = 2_500, times = Number.POSITIVE_INFINITY): void {
  const refresh = useRefresh();
  useEffect(() => {
    if (!on) return;
    let left = times;
    const over = new AbortController();
    const timer = setInterval(async () => {
      // A hidden tab waits: it catches up when it is visible again.
      if (document.visibilityState === 'hidden') return;
      if (await refresh(over.signal)) left -= 1;
      if (left <= 0) clearInterval(timer);
    }, everyMs);
    return () => {
      clearInterval(timer);
      over.abort();
    };
  }, [on, everyMs, times, refresh]);
}
