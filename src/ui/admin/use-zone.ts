'use client';

import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

/** The operator's time zone; UTC on the server, and until the page is hydrated. */
export function useZone(): string {
  return useSyncExternalStore(
    never,
    () => new Intl.DateTimeFormat().resolvedOptions().timeZone,
    () => 'UTC',
  );
}
