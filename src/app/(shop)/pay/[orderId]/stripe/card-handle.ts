import type { CardRead } from './read-card.ts';

/** The form's access to a card field that only Stripe can read. */
export interface CardHandle {
  /** What is wrong with what was typed, if anything. */
  check(): Promise<string | undefined>;
  read(): Promise<CardRead>;
}
