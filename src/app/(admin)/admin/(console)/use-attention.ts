'use client';

import { useQuery } from '@tanstack/react-query';
import { useTRPC } from '#app/trpc/provider.tsx';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { useChanges } from './changes.tsx';

export type Attention = RouterOutputs['overview']['attention'];

/** Approvals and unexpected payments are not in the stream of changes, so they are read every few seconds too. */
const pollMs = 10_000;

/** What waits for a person. The layout has read it, so it is there in the first rendering. */
export function useAttention(): Attention | undefined {
  return useQuery(useTRPC().overview.attention.queryOptions()).data;
}

/** The same, and keeps it current for all who show it. Only the navigation does: each that did would read it for every change. */
export function useLiveAttention(): Attention | undefined {
  const { data, refetch } = useQuery({
    ...useTRPC().overview.attention.queryOptions(),
    refetchInterval: pollMs,
    refetchOnWindowFocus: 'always',
  });
  useChanges(() => void refetch());
  return data;
}
