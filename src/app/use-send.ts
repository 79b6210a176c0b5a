'use client';

import { unstable_rethrow } from 'next/navigation';
import { type FormEvent, useRef, useState, useTransition } from 'react';
import { useHydrated } from '#ui/use-hydrated.ts';

export interface Sending {
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  /** Undefined until JavaScript runs: until then the browser itself sends the form, and shows that it does. */
  readonly busy: boolean | undefined;
  /** The last request had no response. */
  readonly lost: boolean;
}

/**
 * Sends a form to its server action. The form has the same action itself, so that it works without JavaScript; this adds
 * an optimistic update, and a message instead of an error page when the network fails.
 */
export function useSend(
  action: (form: FormData) => Promise<void>,
  options: {
    /** Called at once: the place to set what `useOptimistic` shows until the response. */
    meanwhile?: (form: FormData) => void;
    done?: () => void;
    /** Whether another one may be sent before the response to the last one. */
    several?: boolean;
  } = {},
): Sending {
  const hydrated = useHydrated();
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
        await afterPrevious(() => action(form));
        options.done?.();
      } catch (error) {
        // A redirect is a response.
        unstable_rethrow(error);
        setLost(true);
      } finally {
        out.current -= 1;
      }
    });
  }

  return { onSubmit, busy: hydrated ? busy : undefined, lost };
}

/** The previous one may never end, if the page it was sent from was closed. */
const timeoutMs = 5_000;
let last: Promise<unknown> = Promise.resolve();

/**
 * One after the other, also across pages: each reads the cart's cookie and writes it, so two at once would lose the change
 * of one of them.
 */
function afterPrevious(send: () => Promise<void>): Promise<void> {
  const timeout = new Promise((resolve) => setTimeout(resolve, timeoutMs));
  const sent = Promise.race([last, timeout]).then(send);
  last = sent.catch(() => undefined);
  return sent;
}
