'use client';

import { useRouter } from 'next/navigation';
import { useCallback, useEffect } from 'react';
import { serverResponds } from '#app/server-responds.ts';

/** Has the server render the page again and returns true; returns false if the server does not respond. */
export function useRefresh(): (signal?: AbortSignal) => Promise<boolean> {
  const router = useRouter();
  return useCallback(
    async (signal = new AbortController().signal) => {
      const responds = await serverResponds(signal);
      if (responds) router.refresh();
      return responds;
    },
    [router],
  );
}

/** Refreshes the page at an interval while `on` is set, at most so many times. */
export function useRefreshing(on: boolean, everyMs = 2_500, times = Number.POSITIVE_INFINITY): void {
  const refresh = useRefresh();
  useEffect(() => {
    if (!on) return;
    let left = times;
    const controller = new AbortController();
    const timer = setInterval(async () => {
      // A hidden tab does not refresh until it is visible again.
      if (document.visibilityState === 'hidden') return;
      if (await refresh(controller.signal)) left -= 1;
      if (left <= 0) clearInterval(timer);
    }, everyMs);
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, [on, everyMs, times, refresh]);
}
