import type { PaymentMethodResult, StripeElements, StripeError } from '@stripe/stripe-js';
import { describe, expect, it, test } from 'vitest';
import { cardReadOf, checkCard, readCard } from './read-card.ts';

const failed = (type: StripeError['type'], message?: string): PaymentMethodResult => ({
  error: { type, ...(message && { message }) },
});
const made = { paymentMethod: { id: 'pm_1' } } as PaymentMethodResult;
const elements = { submit: async () => ({ selectedPaymentMethod: 'card' }) } as StripeElements;

describe('the card that was typed in', () => {
  it('becomes the payment method that Stripe made', () => {
    expect(cardReadOf(made)).toEqual({ kind: 'method', id: 'pm_1' });
  });

  test.each(['validation_error', 'card_error'] as const)('has Stripe’s own message after a %s', (type) => {
    expect(cardReadOf(failed(type, 'Your card number is incomplete.'))).toEqual({
      kind: 'problem',
      message: 'Your card number is incomplete',
    });
  });

  test.each(['api_connection_error', 'api_error', 'rate_limit_error', 'authentication_error'] as const)(
    'was not charged after a %s, and Stripe’s message for developers is not shown',
    (type) => {
      expect(cardReadOf(failed(type, 'Invalid API Key provided: pk_test_x'))).toMatchObject({
        kind: 'problem',
        message: expect.stringMatching(/nothing was charged/),
      });
    },
  );

  it('is not charged when Stripe.js itself throws', async () => {
    const broken = { createPaymentMethod: () => Promise.reject(new Error('broken')) };
    expect(await readCard(broken, elements)).toMatchObject({ kind: 'problem' });
    expect(await checkCard({ submit: () => Promise.reject(new Error('broken')) })).toMatch(
      /nothing was charged/,
    );
  });

  it('is checked by Stripe before a payment method is made', async () => {
    expect(await checkCard(elements)).toBeUndefined();
    const error = {
      type: 'validation_error',
      message: 'Your card’s expiration date is incomplete.',
    } as const;
    expect(await checkCard({ submit: async () => ({ error }) })).toBe(
      'Your card’s expiration date is incomplete',
    );
  });
});
