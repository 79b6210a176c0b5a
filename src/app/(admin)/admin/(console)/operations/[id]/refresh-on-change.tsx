'use client';

import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { unbatched } from '#app/trpc/client.ts';
import { useTRPC } from '#app/trpc/provider.tsx';

/** The server holds the request until something has changed; then the next one follows. */
const pauseMs = 500;
/** After a lost connection, so that a server that is down is not flooded with requests. */
const afterErrorMs = 3_000;

/** Keeps the page current while it is visible. */
export function RefreshOnChange({ operationId, version }: { operationId: string; version: string }) {
  const router = useRouter();
  const { data, dataUpdatedAt } = useQuery({
    ...useTRPC().operation.watch.queryOptions(
      { operationId, version },
      { trpc: { ...unbatched, abortOnUnmount: true } },
    ),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.status === 'error' ? afterErrorMs : pauseMs),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a rendering that failed is repeated with the next response
  useEffect(() => {
    if (data && data.version !== version) router.refresh();
  }, [data, dataUpdatedAt, version, router]);
  return null;
}
