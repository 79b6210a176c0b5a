'use client';

import { useEffect, useState } from 'react';

/**
 * A clock that is set to `from` and runs on by itself; given another time, it starts anew from that. What it is set to
 * comes from the server, as a rule: this page's own idea of what time it is decides nothing.
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

/** Whole seconds until a moment of this browser's own clock; none when it is past, or there is none. */
export function useSecondsUntil(moment: number | undefined): number {
  const [begin] = useState(() => Date.now());
  const now = useClockFrom(begin, 250);
  return moment === undefined ? 0 : Math.max(0, Math.ceil((moment - now) / 1000));
}
