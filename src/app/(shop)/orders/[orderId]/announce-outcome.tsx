'use client';

import { useEffect, useRef, useState } from 'react';

/**
 * Has screen readers announce the heading once the outcome of a payment is known, or the shop has decided. The heading cannot be a live region itself:
 * beside the demo's panel it is another element by then.
 */
export function AnnounceOutcome({ open }: { open: boolean }) {
  const [outcome, setOutcome] = useState('');
  const wasOpen = useRef(open);
  useEffect(() => {
    if (wasOpen.current && !open) setOutcome(document.querySelector('h1')?.textContent ?? '');
    wasOpen.current = open;
  }, [open]);
  return (
    <div aria-live="polite" className="sr-only">
      {outcome}
    </div>
  );
}
