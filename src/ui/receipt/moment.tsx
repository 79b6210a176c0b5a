'use client';

import { useSyncExternalStore } from 'react';
import { useLocale } from '../amount.tsx';

/** A point in time where the reader is, with the name of the zone. Until JavaScript runs it is in UTC. */
export function Moment({ at }: { at: string }) {
  return <time dateTime={at}>{formatMoment(at, useLocale(), useZone())}</time>;
}

const neverChanges = () => () => undefined;

/** The shopper's time zone; UTC on the server, and until the page is hydrated. */
function useZone(): string {
  return useSyncExternalStore(
    neverChanges,
    () => new Intl.DateTimeFormat().resolvedOptions().timeZone,
    () => 'UTC',
  );
}

function formatMoment(at: string, locale: string, timeZone: string): string {
  // The pages are in English; of the reader's language only English ones order the date.
  const format = new Intl.DateTimeFormat(locale.startsWith('en') ? locale : 'en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  });
  return format.format(new Date(at));
}
