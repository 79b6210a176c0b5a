'use client';

import { useZone } from './zone.tsx';

/** A point in time in the console's time zone, to the second on hover and focus. */
export function When({ at, precise = false }: { at: string; precise?: boolean }) {
  const zone = useZone();
  return (
    <time
      dateTime={at}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time is there for the keyboard too
      tabIndex={0}
      className="group/when relative inline-block whitespace-nowrap rounded-sm tabular-nums"
    >
      {formatInZone(at, zone, precise)}
      <span
        role="tooltip"
        // Hidden until hover or focus, and at the bottom of a small screen: at its edge it would make the page scroll sideways.
        className="pointer-events-none absolute top-full left-0 z-20 mt-1 hidden whitespace-nowrap rounded-lg bg-ink px-2.5 py-1.5 text-canvas text-xs shadow-lift group-hover/when:block group-focus-visible/when:block max-sm:fixed max-sm:top-auto max-sm:bottom-4 max-sm:left-4"
      >
        {formatExact(at, zone)}
      </span>
    </time>
  );
}

export function formatInZone(at: string, zone: string, precise = false): string {
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

/** With the year, milliseconds and the zone's name: as it is quoted to others. */
export function formatExact(at: string, zone: string): string {
  const time = new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    timeZone: zone,
  }).format(new Date(at));
  return `${time} ${zone.replaceAll('_', ' ')}`;
}
