import { useEffect, useState } from 'react';

/** After this long a shopper wants to know why nothing changes. */
const slowAfterMs = 4_000;

/** Whether something has been going on for so long that the page should say why. */
export function useSlow(on: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!on) return;
    const timer = setTimeout(() => setSlow(true), slowAfterMs);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [on]);
  return on && slow;
}
