import type { Sending } from '#app/use-send.ts';

/** What stops the cancellation. A failure may come after its commit, so it does not say how the order stands. */
export const cancelTroubleCopy: Readonly<Record<NonNullable<Sending['trouble']>, string>> = {
  offline: 'There is no connection. The order is cancelled as soon as it is back.',
  failed: 'The shop did not answer as it should. Load this page again to see how the order stands.',
};
