import { useEffect, useState } from 'react';
import { api, aside } from '#app/trpc/client.ts';

type Told = Awaited<ReturnType<typeof api.demo.readings.query>>;
export type Readings = Pick<Told, 'record' | 'charges'> & {
  /** By the clock of this browser; undefined while the provider answers. */
  readonly silentUntil: number | undefined;
};

/** Often enough to look live, seldom enough to cost nothing. */
const everyMs = 700;

/** Looks at once, and again and again for as long as something is under way and somebody is watching. */
export function useReadings(orderId: string, key: string | undefined, lively: boolean): Readings | undefined {
  const [readings, setReadings] = useState<Readings>();
  useEffect(() => {
    if (key === undefined) return;
    let over = false;
    async function look(key: string) {
      if (document.visibilityState === 'hidden') return;
      const told = await api.demo.readings.query({ orderId, key }, aside).catch(() => undefined);
      if (told && !over) setReadings(readingsOf(told));
    }
    void look(key);
    const timer = lively ? setInterval(() => void look(key), everyMs) : undefined;
    return () => {
      over = true;
      clearInterval(timer);
    };
  }, [orderId, key, lively]);
  return readings;
}

function readingsOf({ record, charges, silentMs }: Told): Readings {
  return { record, charges, silentUntil: silentMs > 0 ? Date.now() + silentMs : undefined };
}

export function isUnsettled(readings: Readings | undefined): boolean {
  const status = readings?.record?.status;
  return status === 'in_progress' || status === 'unknown' || readings?.silentUntil !== undefined;
}

export function countCharged(readings: Readings | undefined): number {
  return readings?.charges.filter(({ status }) => status === 'succeeded').length ?? 0;
}
