'use client';

import {
  type DehydratedState,
  HydrationBoundary,
  type QueryClient,
  QueryClientProvider,
} from '@tanstack/react-query';
import { createTRPCContext, createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import type { AppRouter } from '#server/trpc/root.ts';
import { api } from './client.ts';
import { createQueryClient } from './query-client.ts';

export const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();

let ofBrowser: QueryClient | undefined;

/** One for the whole browser tab, so that pages share what they have read; on the server one for each rendering. */
export function getQueryClient(): QueryClient {
  if (typeof window === 'undefined') return createQueryClient();
  ofBrowser ??= createQueryClient();
  return ofBrowser;
}

/** For code of the page that is not a component. */
export const trpcOfPage = createTRPCOptionsProxy<AppRouter>({ client: api, queryClient: getQueryClient });

const Devtools =
  process.env.NODE_ENV === 'development'
    ? lazy(async () => ({ default: (await import('@tanstack/react-query-devtools')).ReactQueryDevtools }))
    : () => null;

/** Everything below can use `useTRPC` with TanStack Query's hooks. `state` is what the server has `prefetched()`. */
export function ApiProvider({ state, children }: { state?: DehydratedState; children: ReactNode }) {
  const queryClient = getQueryClient();
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={api} queryClient={queryClient}>
        <HydrationBoundary state={state}>{children}</HydrationBoundary>
        <Suspense>
          <Devtools />
        </Suspense>
      </TRPCProvider>
    </QueryClientProvider>
  );
}
