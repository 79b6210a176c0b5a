import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { onRealNetwork } from '#app/trpc/client.ts';
import { useTRPC } from '#app/trpc/provider.tsx';
import type { RouterOutputs } from '#server/trpc/outputs.ts';

type ReadingsResult = RouterOutputs['demo']['readings'];
export type Readings = Pick<ReadingsResult, 'record' | 'charges' | 'awaitsShopper'> & {
  /** By the clock of this browser; undefined while the provider responds. */
  readonly silentUntil: number | undefined;
};

/** Short enough to appear live, long enough to cost little. */
const pollMs = 700;

/** Reads at once, polls while `active` is set and the page is visible, and reads once more when it no longer is. */
export function useReadings(orderId: string, key: string | undefined, active: boolean): Readings | undefined {
  const trpc = useTRPC();
  const { data, refetch } = useQuery(
    trpc.demo.readings.queryOptions(
      { orderId, key: key ?? '' },
      {
        trpc: onRealNetwork,
        enabled: key !== undefined,
        refetchInterval: active && pollMs,
        staleTime: 0,
        select: readingsOf,
      },
    ),
  );
  // An answer that came sooner than the next poll.
  useEffect(() => {
    if (!active && key !== undefined) void refetch({ cancelRefetch: false });
  }, [active, key, refetch]);
  return data;
}

function readingsOf({ record, charges, awaitsShopper, silentMs }: ReadingsResult): Readings {
  return { record, charges, awaitsShopper, silentUntil: silentMs > 0 ? Date.now() + silentMs : undefined };
}

export function isUnresolved(readings: Readings | undefined): boolean {
  const status = readings?.record?.status;
  return status === 'in_progress' || status === 'unknown' || readings?.silentUntil !== undefined;
}

/** The charges that took money, whether or not it was paid back since. */
export function chargesOf(readings: Readings | undefined) {
  return readings?.charges.filter(({ status }) => status === 'succeeded' || status === 'refunded') ?? [];
}

export function countRefunded(readings: Readings | undefined): number {
  return chargesOf(readings).filter(({ status }) => status === 'refunded').length;
}
