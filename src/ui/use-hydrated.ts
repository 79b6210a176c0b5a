'use client';

import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

/** False on the server and until React has taken over the page; true from then on. */
export function useAlive(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
