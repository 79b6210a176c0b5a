'use client';

import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react';
import { useTRPC } from '#app/trpc/provider.tsx';
import { useLiveSubscription } from '#app/trpc/use-live-subscription.ts';
import { allShops } from '#console/operations-list/operation-filter.ts';

type Listener = (operationIds: readonly string[]) => void;

const Changes = createContext<{ readonly listeners: Set<Listener>; readonly live: boolean }>({
  listeners: new Set(),
  live: false,
});

/** One stream for the whole console, because a browser has few connections to a server. */
export function ChangesProvider({ children }: { children: ReactNode }) {
  const listeners = useRef(new Set<Listener>());
  const { live } = useLiveSubscription(
    useTRPC().operations.changes.subscriptionOptions(
      { shop: allShops },
      { onData: (ids) => notify(listeners.current, ids) },
    ),
  );
  useEffect(() => {
    // Changes while there was no stream were missed.
    if (live) notify(listeners.current, []);
  }, [live]);
  const value = useMemo(() => ({ listeners: listeners.current, live }), [live]);
  return <Changes value={value}>{children}</Changes>;
}

function notify(listeners: ReadonlySet<Listener>, ids: readonly string[]): void {
  for (const listener of listeners) listener(ids);
}

/**
 * Calls the listener soon after operations have changed, with their ids; without ids when changes may have been missed.
 * `live` is false while there is no stream.
 */
export function useChanges(listener: Listener): { readonly live: boolean } {
  const { listeners, live } = useContext(Changes);
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  }, [listener]);
  useEffect(() => {
    const call: Listener = (ids) => latest.current(ids);
    listeners.add(call);
    return () => void listeners.delete(call);
  }, [listeners]);
  return { live };
}
