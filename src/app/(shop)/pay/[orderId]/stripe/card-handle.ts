import type { CardRead } from './read-card.ts';

/** What the form asks of a card field that only Stripe can look into. */
export interface CardHandle {
  /** What is wrong with what was typed, if anything. */
  check(): Promise<string | undefined>;
  read(): Promise<CardRead>;
}
