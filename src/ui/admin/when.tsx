'use client';

import { formatMoment } from '../moment.tsx';
import { useZone } from './use-zone.ts';

/**
 * A point in time as the operator's own clock shows it, with the exact moment in UTC for whoever points at it or tabs to
 * it. It is drawn in UTC first and in the same shape, so nothing jumps when the zone becomes known.
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
        // Not there until it is wanted, and at the foot of a small screen: beside the edge it would push the page sideways.
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
    // Of another year than this one, the year matters more than the rest.
    ...(at.slice(0, 4) !== new Date().toISOString().slice(0, 4) && { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    ...(precise && { second: '2-digit' }),
    timeZone: zone,
  }).format(new Date(at));
}
