import { expect, test } from 'vitest';
import { maskPayload } from './mask-payload.ts';

test('data about the shopper and the card is masked at any depth; the rest is shown unchanged', () => {
  const payload = {
    id: 'evt_1',
    data: {
      object: {
        id: 'pi_1',
        amount: 1200,
        client_secret: 'pi_1_secret_x',
        receipt_email: 'ada@example.com',
        shipping: null,
        charges: [
          {
            billing_details: { email: 'ada@example.com', name: 'Ada', phone: null, address: { line1: 'x' } },
            payment_method_details: {
              card: { last4: '4242', exp_month: 4, fingerprint: 'fp', brand: 'visa' },
            },
          },
        ],
      },
    },
  };
  const masked = JSON.stringify(maskPayload(payload));
  for (const secret of ['secret_x', 'ada@', 'Ada', '"fp"', 'line1']) expect(masked).not.toContain(secret);
  for (const shown of ['evt_1', 'pi_1', '1200', '4242', 'visa', '"phone":null'])
    expect(masked).toContain(shown);
});
