'use client';

import { useEffect, useRef, useState } from 'react';
import type { OrderStatus } from '#ui/receipt/order-status.ts';

/**
 * Has screen readers announce the heading when the order's status has changed while the page is open. The heading cannot be a
 * live region itself: beside the demo's panel it is another element by then. Only while a payment is open it is one, and then
 * announces its own changes.
 */
export function AnnounceOutcome({ status, open }: { status: OrderStatus; open: boolean }) {
  const [outcome, setOutcome] = useState('');
  const before = useRef({ status, open });
  useEffect(() => {
    const was = before.current;
    before.current = { status, open };
    if (was.status === status || (was.open && open)) return;
    setOutcome(document.querySelector('h1')?.textContent ?? '');
  }, [status, open]);
  return (
    <div aria-live="polite" className="sr-only">
      {outcome}
    </div>
  );
}
