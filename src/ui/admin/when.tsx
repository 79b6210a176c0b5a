'use client';

import { formatMoment } from '../moment.tsx';
import { useZone } from './use-zone.ts';

/**
 * A point in time in the operator's time zone, with the exact time in UTC on hover and focus. It is rendered in UTC
 * first and with the same width, so that nothing moves when the time zone is known.
 */
export function When({ at, precise = false }: { at: string; precise?: boolean }) {
  const zone = useZone();
  return (
    <time
      dateTime={at}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time is there for the keyboard too
      tabIndex={0}
      className="group/when relative inline-block whitespace-nowrap rounded-sm tabular-nums"
    >
      {formatLocal(at, zone, precise)}
      <span
        role="tooltip"
        // Hidden until hover or focus, and at the bottom of a small screen: at its edge it would make the page scroll sideways.
        className="pointer-events-none absolute top-full left-0 z-20 mt-1 hidden whitespace-nowrap rounded-lg bg-ink px-2.5 py-1.5 text-canvas text-xs shadow-lift group-hover/when:block group-focus-visible/when:block max-sm:fixed max-sm:top-auto max-sm:bottom-4 max-sm:left-4"
      >
        {formatMoment(at, true)}
      </span>
    </time>
  );
}

export function formatLocal(at: string, zone: string, precise = false): string {
  return new Intl.DateTimeFormat('en-GB', {
    day: '2-digit',
    month: 'short',
    // The year only if it is not the current one.
    ...(at.slice(0, 4) !== new Date().toISOString().slice(0, 4) && { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    ...(precise && { second: '2-digit' }),
    timeZone: zone,
  }).format(new Date(at));
}
