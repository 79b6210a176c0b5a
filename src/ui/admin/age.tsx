'use client';

import { formatAge } from '../format-duration.ts';
import { useClockFrom } from '../use-clock-from.ts';
import { formatExact } from './when.tsx';
import { useZone } from './zone.tsx';

/**
 * How long ago; the exact time appears on hover, and when its row has the focus (which
 * is a `group/row`). `now` starts from the server's clock, so that both render the same; the width is reserved.
 */
export function Age({ at, now }: { at: string; now: number }) {
  const exact = formatExact(at, useZone());
  const clock = useClockFrom(now, 1_000);
  return (
    <time
      dateTime={at}
      className="group/age relative inline-block min-w-[6ch] whitespace-nowrap tabular-nums"
    >
      {formatAge(clock - Date.parse(at))}
      <span className="sr-only">, since {exact}</span>
      <span
        aria-hidden="true"
        className="-translate-y-1/2 pointer-events-none invisible absolute top-1/2 right-full z-10 mr-2 rounded-lg bg-ink px-2.5 py-1 text-canvas text-xs shadow-lift group-focus-within/row:visible group-hover/age:visible"
      >
        {exact}
      </span>
    </time>
  );
}
