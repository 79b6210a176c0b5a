'use client';

import { clockWords } from '../duration-copy.ts';
import { useClockFrom } from '../use-clock-from.ts';

/** Counts down from what the database said. */
export function Countdown({ inMs }: { inMs: number }) {
  const leftMs = -useClockFrom(-inMs, 500);
  // A clock that speaks every second is no help to anybody who listens: the sentence around it is read once.
  return (
    <span className="money font-medium" role="timer">
      {leftMs <= 0 ? 'now' : `in ${clockWords(leftMs)}`}
    </span>
  );
}
