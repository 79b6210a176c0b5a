'use client';

import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

/** The operator's time zone; UTC on the server, and until React has taken over the page. */
export function useZone(): string {
  return useSyncExternalStore(
    never,
    () => new Intl.DateTimeFormat().resolvedOptions().timeZone,
    () => 'UTC',
  );
}
