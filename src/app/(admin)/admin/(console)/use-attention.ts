'use client';

import { useQuery } from '@tanstack/react-query';
import { useTRPC } from '#app/trpc/provider.tsx';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { useChanges } from './changes.tsx';

export type Attention = RouterOutputs['overview']['attention'];

/** Approvals and unexpected payments are not in the stream of changes, so they are read every few seconds too. */
const pollMs = 10_000;

/** What waits for a person, kept current. The layout has read it, so it is there in the first rendering. */
export function useAttention(): Attention | undefined {
  const { data, refetch } = useQuery({
    ...useTRPC().overview.attention.queryOptions(),
    refetchInterval: pollMs,
    refetchOnWindowFocus: 'always',
  });
  useChanges(() => void refetch());
  return data;
}
