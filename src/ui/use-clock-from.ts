'use client';

import { useEffect, useState } from 'react';

/**
 * A running clock that starts at `from`, and starts again when `from` changes. As a rule `from` is the server's time, so
 * that the browser's clock does not matter.
 */
export function useClockFrom(from: number, everyMs: number): number {
  const [now, setNow] = useState(from);
  useEffect(() => {
    const begin = performance.now();
    const tick = () => setNow(from + performance.now() - begin);
    tick();
    const timer = setInterval(tick, everyMs);
    return () => clearInterval(timer);
  }, [from, everyMs]);
  return now;
}

/**
 * Whole seconds until a time by this browser's clock; 0 if it is past or undefined. The clock is read again for each new time:
 * it may have been set since the last one, or the device may have slept.
 */
export function useSecondsUntil(moment: number | undefined): number {
  const [begin, setBegin] = useState(() => ({ moment, now: Date.now() }));
  if (begin.moment !== moment) setBegin({ moment, now: Date.now() });
  const now = useClockFrom(begin.now, 250);
  return moment === undefined ? 0 : Math.max(0, Math.ceil((moment - now) / 1000));
}
