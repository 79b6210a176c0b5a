'use client';

import { useEffect, useState } from 'react';

/** Counts down from what the database said; this page's own clock decides nothing. */
export function Countdown({ inMs }: { inMs: number }) {
  const [leftMs, setLeftMs] = useState(inMs);
  useEffect(() => {
    const until = performance.now() + inMs;
    const tick = () => setLeftMs(until - performance.now());
    tick();
    const timer = setInterval(tick, 500);
    return () => clearInterval(timer);
  }, [inMs]);
  // A clock that speaks every second is no help to anybody who listens: the sentence around it is read once.
  return (
    <span className="money font-medium" role="timer">
      {leftMs <= 0 ? 'now' : `in ${clockWords(leftMs)}`}
    </span>
  );
}

export function clockWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor((seconds % 86_400) / 3_600),
    Math.floor((seconds % 3_600) / 60),
  ];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}
