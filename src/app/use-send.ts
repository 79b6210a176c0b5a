'use client';

import { unstable_rethrow } from 'next/navigation';
import { type FormEvent, useRef, useState, useTransition } from 'react';
import { useAlive } from '#ui/use-alive.ts';

export interface Sending {
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  /** Undefined until JavaScript runs: till then the browser itself sends the form, and shows that it does. */
  readonly busy: boolean | undefined;
  /** The last one went out and no answer came. */
  readonly lost: boolean;
}

/**
 * Sends a form to its server action. The form names the same action itself, so that it works before JavaScript runs and
 * where it never does; here it gets what JavaScript can add: a page that shows the change at once, and calm when the line
 * is cut.
 */
export function useSend(
  action: (form: FormData) => Promise<void>,
  options: {
    /** Called at once: the place to set what `useOptimistic` shows until the answer is there. */
    meanwhile?: (form: FormData) => void;
    done?: () => void;
    /** Whether another one may follow before the answer to the last one is there. */
    several?: boolean;
  } = {},
): Sending {
  const alive = useAlive();
  const [busy, start] = useTransition();
  const [lost, setLost] = useState(false);
  const out = useRef(0);

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    // Two clicks land before React has rendered what the first one did.
    if (out.current > 0 && !options.several) return;
    const submitter = event.nativeEvent instanceof SubmitEvent ? event.nativeEvent.submitter : null;
    const form = new FormData(event.currentTarget, submitter);
    out.current += 1;
    setLost(false);
    start(async () => {
      options.meanwhile?.(form);
      try {
        await inTurn(() => action(form));
        options.done?.();
      } catch (error) {
        // Being sent to another page is an answer.
        unstable_rethrow(error);
        setLost(true);
      } finally {
        out.current -= 1;
      }
    });
  }

  return { onSubmit, busy: alive ? busy : undefined, lost };
}

/** Nobody waits longer than this for the one before: it may have gone down with the page it was sent from. */
const patienceMs = 5_000;
let last: Promise<unknown> = Promise.resolve();

/**
 * One after the other, also from one page to the next: each reads the cart's cookie and writes it anew, so two at once
 * would lose what one of them did.
 */
function inTurn(send: () => Promise<void>): Promise<void> {
  const patience = new Promise((resolve) => setTimeout(resolve, patienceMs));
  const sent = Promise.race([last, patience]).then(send);
  last = sent.catch(() => undefined);
  return sent;
}
