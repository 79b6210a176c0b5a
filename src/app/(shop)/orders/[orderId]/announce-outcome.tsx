'use client';

import { useEffect, useRef, useState } from 'react';

/**
 * Has screen readers announce the heading once the outcome of a payment is known. The heading cannot be a live region itself:
 * beside the demo's panel it is another element by then.
 */
export function AnnounceOutcome({ underWay }: { underWay: boolean }) {
  const [outcome, setOutcome] = useState('');
  const wasUnderWay = useRef(underWay);
  useEffect(() => {
    if (wasUnderWay.current && !underWay) setOutcome(document.querySelector('h1')?.textContent ?? '');
    wasUnderWay.current = underWay;
  }, [underWay]);
  return (
    <div aria-live="polite" className="sr-only">
      {outcome}
    </div>
  );
}
