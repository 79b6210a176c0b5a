import { useState } from 'react';
import type { PayResult } from '#app/trpc/pay.ts';
import type { SubmissionState } from '#idempotency/react.ts';

/**
 * Whether the order has a pending payment that this form did not start. The server says so when it renders the page. What
 * this browser learns later overrides it, until the page is rendered again: a refusal because of another payment means that
 * there is one. That this form's payment did not happen makes what was rendered outdated: the pending one was this, or is
 * another, which is why this one was refused.
 */
export function usePendingElsewhere(
  state: SubmissionState<PayResult>,
  pending: boolean,
  renderedAt: number,
): { readonly pendingElsewhere: boolean; readonly pendingOutdated: boolean } {
  const refusedSince = useSinceRendering(state.kind === 'refused' ? state.problem : undefined, renderedAt);
  const nothingHappened = state.kind === 'ready' && state.nothingHappened;
  const releasedSince = useSinceRendering(nothingHappened ? state : undefined, renderedAt);
  return {
    pendingElsewhere: refusedSince || (pending && !releasedSince),
    pendingOutdated: pending && releasedSince,
  };
}

/** Whether the event is newer than what the page shows about the order. */
function useSinceRendering(event: object | undefined, renderedAt: number): boolean {
  const [last, setLast] = useState({ event, renderedAt });
  if (last.event !== event) setLast({ event, renderedAt });
  return event !== undefined && (last.event !== event || last.renderedAt === renderedAt);
}
