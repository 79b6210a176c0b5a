import type Stripe from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CARD_ONLY, chargesOf, failure, type Harness, openHarness } from './testing/harness.ts';

let harness: Harness;
let stripe: Stripe;
beforeAll(async () => {
  harness = await openHarness();
  stripe = harness.stripe;
});
afterAll(() => harness.close());

async function challenge(payment_method = 'pm_card_threeDSecure2Required') {
  const created = await stripe.paymentIntents.create({
    ...CARD_ONLY,
    amount: 1250,
    currency: 'eur',
    payment_method,
  });
  const intent = await stripe.paymentIntents.confirm(created.id, {
    return_url: 'https://shop.test/back?order=7',
  });
  return { intent, url: intent.next_action?.redirect_to_url?.url ?? '' };
}

/** What a browser sends when a button is pressed: the form's hidden field and the button's own value. */
async function press(url: string, outcome: 'complete' | 'fail'): Promise<Response> {
  const page = await (await fetch(url)).text();
  const client_secret = /name="client_secret" value="(\w+)"/.exec(page)?.[1] ?? '';
  return fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ client_secret, outcome }),
    redirect: 'manual',
  });
}

test('a card that needs authentication is not charged before the shopper has authenticated', async () => {
  const { intent, url } = await challenge('pm_card_authenticationRequired');
  expect(intent.status).toBe('requires_action');
  expect(intent.next_action).toMatchObject({ type: 'redirect_to_url' });
  expect(await chargesOf(harness, intent.id)).toEqual([]);
  const page = await (await fetch(url)).text();
  expect(page).toContain('Complete authentication');
  expect(page).toContain('Fail authentication');
  expect(page).toContain('€12.50');
});

test('completing authentication charges once, however often the button is pressed, and redirects to return_url', async () => {
  const { intent, url } = await challenge();
  const client_secret = intent.client_secret as string;
  const body = () => new URLSearchParams({ client_secret, outcome: 'complete' });
  const presses = await Promise.all(
    [1, 2, 3].map(() => fetch(url, { method: 'POST', body: body(), redirect: 'manual' })),
  );
  for (const { status, headers } of presses) {
    expect(status).toBe(303);
    const back = new URL(headers.get('location') ?? '');
    expect(back.origin + back.pathname).toBe('https://shop.test/back');
    expect(Object.fromEntries(back.searchParams)).toEqual({
      order: '7',
      payment_intent: intent.id,
      payment_intent_client_secret: client_secret,
      redirect_status: 'succeeded',
    });
  }
  const paid = await stripe.paymentIntents.retrieve(intent.id, { expand: ['latest_charge'] });
  expect(paid).toMatchObject({ status: 'succeeded', next_action: null });
  expect(paid.latest_charge).toMatchObject({
    payment_method_details: { card: { three_d_secure: { result: 'authenticated' } } },
  });
  expect(await chargesOf(harness, intent.id)).toHaveLength(1);
});

test('failing authentication charges nothing, and the intent requires another payment method', async () => {
  const { intent, url } = await challenge();
  const response = await press(url, 'fail');
  expect(new URL(response.headers.get('location') ?? '').searchParams.get('redirect_status')).toBe('failed');
  const after = await stripe.paymentIntents.retrieve(intent.id);
  expect(after.status).toBe('requires_payment_method');
  expect(after.last_payment_error).toMatchObject({ code: 'payment_intent_authentication_failure' });
  expect(await chargesOf(harness, intent.id)).toEqual([]);
  const paid = await stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' });
  expect(paid.status).toBe('succeeded');
});

test('an intent in requires_action can be cancelled, and then authentication charges nothing', async () => {
  const { intent, url } = await challenge();
  await stripe.paymentIntents.cancel(intent.id);
  await fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ client_secret: intent.client_secret as string, outcome: 'complete' }),
    redirect: 'manual',
  });
  expect((await stripe.paymentIntents.retrieve(intent.id)).status).toBe('canceled');
  expect(await chargesOf(harness, intent.id)).toEqual([]);
});

test('the page is a 404 without the right client secret', async () => {
  const { intent, url } = await challenge();
  const { origin, pathname } = new URL(url);
  expect((await fetch(`${origin}${pathname}`)).status).toBe(404);
  expect((await fetch(`${origin}${pathname}?client_secret=${intent.id}_secret_wrong`)).status).toBe(404);
  expect((await fetch(`${origin}/_sandbox/3ds/pi_nowhere?client_secret=x`)).status).toBe(404);
  const forged = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ client_secret: 'wrong', outcome: 'complete' }),
  });
  expect(forged.status).toBe(404);
  expect((await failure(stripe.paymentIntents.confirm(intent.id))).code).toBe(
    'payment_intent_unexpected_state',
  );
});

test('a form of more than 4 KiB is not read: the page is open to strangers', async () => {
  const { url } = await challenge();
  const body = new URLSearchParams({ outcome: 'complete', padding: 'x'.repeat(5_000) });
  expect((await fetch(url, { method: 'POST', body, redirect: 'manual' })).status).toBe(413);
});
