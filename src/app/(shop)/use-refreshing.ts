'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

/** Asks the server for the page again and again while something on it is still open. */
export function useRefreshing(on: boolean, everyMs = 2_500, times = Number.POSITIVE_INFINITY): void {
  const router = useRouter();
  useEffect(() => {
    if (!on) return;
    let left = times;
    const timer = setInterval(() => {
      // A hidden tab waits: it catches up when somebody looks.
      if (document.visibilityState === 'hidden') return;
      router.refresh();
      left -= 1;
      if (left <= 0) clearInterval(timer);
    }, everyMs);
    return () => clearInterval(timer);
  }, [on, everyMs, times, router]);
}
