import type { CardRead } from './read-card.ts';

/** The form's access to a card field that only Stripe can read. */
export interface CardHandle {
  /** Returns a message for the shopper if the card is incomplete or invalid. */
  check(): Promise<string | undefined>;
  read(): Promise<CardRead>;
}
