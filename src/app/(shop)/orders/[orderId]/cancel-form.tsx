'use client';

import { type MouseEvent, useEffect, useRef } from 'react';
import { SendTrouble } from '#app/send-trouble.tsx';
import { useSend } from '#app/use-send.ts';
import { buttonStyle } from '#ui/button-style.ts';
import { Spinner } from '#ui/spinner.tsx';
import { cancelOrder } from './actions.ts';
import { cancelTroubleCopy } from './cancel-copy.ts';

/** Explains what cancelling does before it offers to cancel. Works without JavaScript. */
export function CancelForm({ orderId, consequence }: { orderId: string; consequence: string }) {
  const sent = useRef(false);
  const { onSubmit, busy, trouble } = useSend(cancelOrder, {
    onSend: () => {
      sent.current = true;
    },
  });
  const details = useRef<HTMLDetailsElement>(null);
  // The form is gone once the order is cancelled, or turns out to be paid: the heading says which, and takes the focus.
  useEffect(
    () => () => {
      if (sent.current) document.querySelector('h1')?.focus();
    },
    [],
  );
  function keep(event: MouseEvent) {
    if (!details.current) return;
    event.preventDefault();
    details.current.open = false;
    details.current.querySelector('summary')?.focus();
  }
  return (
    <details ref={details} className="mt-8 print:hidden">
      <summary className="-mx-2 inline-flex min-h-11 items-center rounded-lg px-2 text-ink-soft text-sm underline decoration-line-strong underline-offset-4 hover:text-ink">
        Cancel this order
      </summary>
      <div className="mt-2 rounded-2xl bg-sunken p-5 dark:bg-surface">
        <p className="font-medium">Cancel the order for good?</p>
        <p className="mt-1 text-ink-soft text-sm leading-6">{consequence}</p>
        <form action={cancelOrder} onSubmit={onSubmit} className="mt-4 flex flex-wrap gap-3">
          <input type="hidden" name="order" value={orderId} />
          <button
            type="submit"
            aria-disabled={busy || undefined}
            className={`${buttonStyle('secondary')} ${busy ? 'cursor-progress' : ''}`}
          >
            {busy && <Spinner />}
            Yes, cancel it
          </button>
          {/* Without JavaScript the page is loaded again, with this section closed. */}
          <a href={`/orders/${orderId}`} onClick={keep} className={buttonStyle('quiet')}>
            Keep the order
          </a>
        </form>
        {trouble && (
          <div className="mt-3">
            <SendTrouble trouble={trouble} copy={cancelTroubleCopy} />
          </div>
        )}
      </div>
    </details>
  );
}
