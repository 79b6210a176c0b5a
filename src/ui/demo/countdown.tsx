'use client';

import { useEffect, useState } from 'react';

/** For the eyes only: a screen reader would read out every second of it. */
export function Countdown({ until, className = '' }: { until: number; className?: string }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 200);
    return () => clearInterval(timer);
  }, []);
  return (
    <span aria-hidden="true" className={`tabular-nums ${className}`}>
      {Math.max(0, Math.ceil((until - now) / 1000))} s
    </span>
  );
}
