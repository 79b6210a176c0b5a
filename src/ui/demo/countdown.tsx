'use client';

import { useSecondsUntil } from '../use-clock-from.ts';

/** Hidden from screen readers, which would announce every second. */
export function Countdown({ until, className = '' }: { until: number; className?: string }) {
  return (
    <span aria-hidden="true" className={`tabular-nums ${className}`}>
      {useSecondsUntil(until)} s
    </span>
  );
}
