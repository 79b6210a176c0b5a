import { useEffect, useState } from 'react';
import { api, onRealNetwork } from '#app/trpc/client.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';

type ReadingsResult = RouterOutputs['demo']['readings'];
export type Readings = Pick<ReadingsResult, 'record' | 'charges'> & {
  /** By the clock of this browser; undefined while the provider responds. */
  readonly silentUntil: number | undefined;
};

/** Short enough to appear live, long enough to cost little. */
const pollMs = 700;

/** Reads at once, and polls while `active` is set and the page is visible. */
export function useReadings(orderId: string, key: string | undefined, active: boolean): Readings | undefined {
  const [readings, setReadings] = useState<Readings>();
  useEffect(() => {
    if (key === undefined) return;
    let stopped = false;
    async function read(key: string) {
      if (document.visibilityState === 'hidden') return;
      const result = await api.demo.readings.query({ orderId, key }, onRealNetwork).catch(() => undefined);
      if (result && !stopped) setReadings(readingsOf(result));
    }
    void read(key);
    const timer = active ? setInterval(() => void read(key), pollMs) : undefined;
    return () => {
      stopped = true;
      clearInterval(timer);
    };
  }, [orderId, key, active]);
  return readings;
}

function readingsOf({ record, charges, silentMs }: ReadingsResult): Readings {
  return { record, charges, silentUntil: silentMs > 0 ? Date.now() + silentMs : undefined };
}

export function isUnresolved(readings: Readings | undefined): boolean {
  const status = readings?.record?.status;
  return status === 'in_progress' || status === 'unknown' || readings?.silentUntil !== undefined;
}

export function countCharged(readings: Readings | undefined): number {
  return readings?.charges.filter(({ status }) => status === 'succeeded').length ?? 0;
}
