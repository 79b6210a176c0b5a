'use client';

import { unstable_isUnrecognizedActionError, unstable_rethrow } from 'next/navigation';
import { useOffline } from 'next/offline';
import { type FormEvent, useRef, useState, useTransition } from 'react';
import { useHydrated } from '#ui/use-hydrated.ts';
import { sendInTurn } from './send-in-turn.ts';

export type Trouble = 'offline' | 'failed' | 'outdated';

export interface Sending {
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  /** Undefined until JavaScript runs: until then the browser sends the form and shows its own progress. */
  readonly busy: boolean | undefined;
  /**
   * What stops it. Without a connection Next keeps the request, and sends it by itself once there is one. That the last one
   * failed stays so while the next one is under way, so that the message does not flicker. `outdated`: the page is from before
   * a deploy, and the server does not know its actions any more. Nothing was changed, and only loading the page again helps.
   */
  readonly trouble: Trouble | undefined;
}

/**
 * Sends a form to its server action. The form has the same action itself, so that it works without JavaScript; this adds
 * an optimistic update, and a message instead of an error page when it fails.
 */
export function useSend(
  action: (form: FormData) => Promise<void>,
  options: {
    /** Called before the request is sent, for the update that `useOptimistic` shows until the response. */
    onSend?: (form: FormData) => void;
    onSuccess?: () => void;
    /** Whether the form may be sent again before the response to the last request. */
    allowConcurrent?: boolean;
  } = {},
): Sending {
  const hydrated = useHydrated();
  const [busy, start] = useTransition();
  const [failed, setFailed] = useState<'failed' | 'outdated'>();
  const offline = useOffline();
  const inFlight = useRef(0);

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    // A second click can come before React has rendered the result of the first.
    if (inFlight.current > 0 && !options.allowConcurrent) return;
    const submitter = event.nativeEvent instanceof SubmitEvent ? event.nativeEvent.submitter : null;
    const form = new FormData(event.currentTarget, submitter);
    inFlight.current += 1;
    start(async () => {
      options.onSend?.(form);
      try {
        await sendInTurn(() => action(form));
        setFailed(undefined);
        options.onSuccess?.();
      } catch (error) {
        // A redirect is a response.
        unstable_rethrow(error);
        setFailed(unstable_isUnrecognizedActionError(error) ? 'outdated' : 'failed');
      } finally {
        inFlight.current -= 1;
      }
    });
  }

  const trouble = busy && offline ? 'offline' : failed;
  return { onSubmit, busy: hydrated ? busy : undefined, trouble };
}
