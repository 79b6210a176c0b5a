import { useEffect, useState } from 'react';

/** Whether something has been going on for so long that the page should say why. */
export function useSlow(on: boolean, slowAfterMs: number): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!on) return;
    const timer = setTimeout(() => setSlow(true), slowAfterMs);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [on, slowAfterMs]);
  return on && slow;
}
