import { z } from 'zod';
import { services } from '#server/services.ts';
import type { Card } from '#ui/pay/card-picker.tsx';

const sandboxCards = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      label: z.string(),
      kind: z.enum(['success', 'decline', 'authentication', 'fault']),
      description: z.string(),
    }),
  ),
});

/** Test cards that both Stripe's test mode and the sandbox have. */
const testCards: readonly Card[] = [
  { id: 'pm_card_visa', label: 'Visa •••• 4242', kind: 'success', description: 'Is charged at once.' },
  {
    id: 'pm_card_mastercard',
    label: 'Mastercard •••• 4444',
    kind: 'success',
    description: 'Is charged at once.',
  },
  {
    id: 'pm_card_visa_chargeDeclined',
    label: 'Declined •••• 0002',
    kind: 'decline',
    description: 'The bank says no.',
  },
  {
    id: 'pm_card_visa_chargeDeclinedInsufficientFunds',
    label: 'Insufficient funds •••• 9995',
    kind: 'decline',
    description: 'The bank says that there is not enough money.',
  },
];

const faultCard: Card = {
  id: 'pm_fault_charged_no_response',
  label: 'Charged, no answer',
  kind: 'fault',
  description: 'The money moves, then the line goes silent for good.',
};

/** Longer than a healthy sandbox needs, short enough for a shopper who waits for the page. */
const timeoutMs = 2_000;

export async function offeredCards(): Promise<readonly Card[]> {
  const { settings, log } = services();
  if (settings.provider !== 'sandbox') return testCards;
  try {
    const url = new URL('/_sandbox/payment_methods', settings.SANDBOX_URL);
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), cache: 'no-store' });
    const cards = sandboxCards.parse(await response.json()).data;
    return cards.some(({ kind }) => kind === 'success') ? cards : [...testCards, faultCard];
  } catch (error) {
    log.warn({ err: error }, 'the list of the sandbox’s cards could not be read');
    return [...testCards, faultCard];
  }
}
