'use client';

import { formatCountdown } from '../format-duration.ts';
import { useClockFrom } from '../use-clock-from.ts';

/** Counts down from the database's time. */
export function Countdown({ inMs }: { inMs: number }) {
  const leftMs = -useClockFrom(-inMs, 500);
  // Not a live region: a screen reader would read out every second.
  return (
    <span className="money font-medium" role="timer">
      {leftMs <= 0 ? 'now' : `in ${formatCountdown(leftMs)}`}
    </span>
  );
}
