import { api, aside } from '#app/trpc/client.ts';
import { createJournal, emptyStory } from './journal.ts';
import { Line, type LineState } from './faulty-network.ts';

/** In the browser only. The pay page and the receipt after it look at the same line. */
const lines = new Map<string, Line>();

export function lineOf(orderId: string): Line {
  const known = lines.get(orderId);
  if (known) return known;
  const line = new Line({
    fetch: (input, init) => window.fetch(input, init),
    arrived: async (key) => (await api.payments.attempt.query({ orderId, key }, aside)).status !== 'none',
    journal: createJournal(orderId, () => window.sessionStorage),
    now: Date.now,
    pause,
  });
  lines.set(orderId, line);
  return line;
}

export const idleLine: LineState = { ...emptyStory, armed: undefined, cutUntil: undefined };

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
