'use client';

import { useRouter } from 'next/navigation';
import { useCallback, useEffect } from 'react';
import { serverAnswers } from '../server-responds.ts';

/** Has the server render the page again, if it is there; else the page stays as it is, and false is the answer. */
export function useRefresh(): (over?: AbortSignal) => Promise<boolean> {
  const router = useRouter();
  return useCallback(
    async (over = new AbortController().signal) => {
      const answers = await serverAnswers(over);
      if (answers) router.refresh();
      return answers;
    },
    [router],
  );
}

/** Asks the server for the page again and again while something on it is still open. */
export function useRefreshing(on: boolean, everyMs = 2_500, times = Number.POSITIVE_INFINITY): void {
  const refresh = useRefresh();
  useEffect(() => {
    if (!on) return;
    let left = times;
    const over = new AbortController();
    const timer = setInterval(async () => {
      // A hidden tab waits: it catches up when somebody looks.
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
