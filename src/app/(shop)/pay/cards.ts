import { z } from 'zod';
import { house } from '#server/services.ts';
import type { Card } from '#ui/pay/card-picker.tsx';

const offered = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      label: z.string(),
      kind: z.enum(['success', 'decline', 'authentication', 'fault']),
      description: z.string(),
    }),
  ),
});

/** Test cards that Stripe's test mode and the sandbox both know. */
const wellKnown: readonly Card[] = [
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

const fault: Card = {
  id: 'pm_fault_charged_no_answer',
  label: 'Charged, no answer',
  kind: 'fault',
  description: 'The money moves, then the line goes silent for good.',
};

/** Longer than a healthy sandbox needs, shorter than a shopper's patience: the form must come up without it. */
const patienceMs = 2_000;

export async function offeredCards(): Promise<readonly Card[]> {
  const { settings, log } = house();
  if (settings.provider !== 'sandbox') return wellKnown;
  try {
    const url = new URL('/_sandbox/payment_methods', settings.SANDBOX_URL);
    const response = await fetch(url, { signal: AbortSignal.timeout(patienceMs), cache: 'no-store' });
    const cards = offered.parse(await response.json()).data;
    return cards.some(({ kind }) => kind === 'success') ? cards : [...wellKnown, fault];
  } catch (error) {
    log.warn({ err: error }, 'the sandbox did not say which cards it has');
    return [...wellKnown, fault];
  }
}
