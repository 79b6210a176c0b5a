import type Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CARD_ONLY, failure, type Harness, openHarness } from './testing/harness.ts';

let harness: Harness;
let stripe: Stripe;
const ids: string[] = [];
beforeAll(async () => {
  harness = await openHarness();
  stripe = harness.stripe;
  for (let index = 0; index < 7; index += 1) {
    const intent = await stripe.paymentIntents.create({
      ...CARD_ONLY,
      amount: 100 + index,
      currency: index === 0 ? 'jpy' : 'eur',
      payment_method: 'pm_card_visa',
      confirm: index < 3,
      metadata: {
        reference: `order-${index}`,
        paidonce_tenant: index % 2 ? 'odd' : 'even',
        quirk: "it's AND",
      },
    });
    ids.unshift(intent.id);
  }
});
afterAll(() => harness.close());

describe('lists', () => {
  test('come newest first, in pages that neither skip nor repeat', async () => {
    const first = await stripe.paymentIntents.list({ limit: 3 });
    expect(first).toMatchObject({ object: 'list', has_more: true, url: '/v1/payment_intents' });
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    const last = await stripe.paymentIntents.list({ limit: 5, starting_after: ids[2] as string });
    expect(last.has_more).toBe(false);
    expect(last.data.map(({ id }) => id)).toEqual(ids.slice(3));
    const back = await stripe.paymentIntents.list({ limit: 2, ending_before: ids[4] as string });
    expect(back.has_more).toBe(true);
    expect(back.data.map(({ id }) => id)).toEqual(ids.slice(2, 4));
  });

  test('are paged to the end by the SDK', async () => {
    const listed: string[] = [];
    for await (const intent of stripe.paymentIntents.list({ limit: 2 })) listed.push(intent.id);
    expect(listed).toEqual(ids);
  });

  test('filter by creation time', async () => {
    const { created } = await stripe.paymentIntents.retrieve(ids[0] as string);
    expect((await stripe.paymentIntents.list({ created: { gt: created } })).data).toEqual([]);
    expect((await stripe.paymentIntents.list({ created: { lte: created } })).data).toHaveLength(7);
  });

  test('inline the charge of each intent when expanded', async () => {
    const { data } = await stripe.paymentIntents.list({ expand: ['data.latest_charge'] });
    expect(data.at(-1)?.latest_charge).toMatchObject({ object: 'charge', status: 'succeeded' });
    expect(data[0]?.latest_charge).toBeNull();
  });

  test('refuse a cursor that does not exist and a limit out of range', async () => {
    const cursor = await failure(stripe.paymentIntents.list({ starting_after: 'pi_nowhere' }));
    expect(cursor).toMatchObject({ statusCode: 400, code: 'resource_missing', param: 'starting_after' });
    expect(await failure(stripe.paymentIntents.list({ limit: 101 }))).toMatchObject({ param: 'limit' });
  });
});

describe('search', () => {
  test('finds by metadata, joined with AND, also with quotes and AND in a value', async () => {
    const query = `metadata['reference']:'order-3' AND metadata["quirk"]:"it's AND"`;
    const found = await stripe.paymentIntents.search({ query });
    expect(found).toMatchObject({ object: 'search_result', has_more: false, next_page: null });
    expect(found.data.map(({ id }) => id)).toEqual([ids[3]]);
    const other = "metadata['reference']:'order-3' AND metadata['paidonce_tenant']:'even'";
    expect((await stripe.paymentIntents.search({ query: other })).data).toEqual([]);
  });

  test('compares status, currency, amount and time', async () => {
    const found = await stripe.paymentIntents.search({
      query: "status:'succeeded' AND currency:'eur' AND amount>=101 AND created>1",
    });
    expect(found.data.map(({ id }) => id)).toEqual([ids[4], ids[5]]);
  });

  test.each([
    ["metadata['reference']:'order-3' OR metadata['reference']:'order-1'", [3, 5]],
    ["metadata['paidonce_tenant']:'even' AND -status:'succeeded'", [0, 2]],
    ["status:'succeeded' currency:'jpy'", [6]],
    ["metadata['quirk'] : \"it's AND\" amount > 105", [0]],
    ["-metadata['nowhere']:null", []],
    ["metadata['nowhere']:null AND metadata['paidonce_tenant']:'odd'", [1, 3, 5]],
    ["-metadata['quirk']:null AND amount>=104", [0, 1, 2]],
  ])('understands OR, negation and null: %s', async (query, found) => {
    const { data } = await stripe.paymentIntents.search({ query });
    expect(data.map(({ id }) => ids.indexOf(id))).toEqual(found);
  });

  test('returns pages that neither skip nor repeat', async () => {
    const query = "metadata['paidonce_tenant']:'even'";
    const first = await stripe.paymentIntents.search({ query, limit: 3 });
    expect(first).toMatchObject({ has_more: true });
    const second = await stripe.paymentIntents.search({ query, limit: 3, page: first.next_page as string });
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual([ids[0], ids[2], ids[4], ids[6]]);
  });

  test.each([
    "metadata['a']:'b' OR status:'x' AND amount>1",
    'nonsense',
    "status>'x'",
    "name:'x'",
    "amount:'x'",
  ])('refuses a query that it cannot parse: %s', async (query) => {
    expect(await failure(stripe.paymentIntents.search({ query }))).toMatchObject({
      statusCode: 400,
      param: 'query',
    });
  });
});

test('charges are read one by one and by intent', async () => {
  const { data } = await stripe.charges.list({ payment_intent: ids[6] as string });
  expect(data).toEqual([
    expect.objectContaining({ amount: 100, currency: 'jpy', paid: true, captured: true }),
  ]);
  expect(await stripe.charges.retrieve(data[0]?.id as string)).toEqual(data[0]);
  expect((await stripe.charges.list()).data).toHaveLength(3);
  expect(await failure(stripe.charges.retrieve('ch_nowhere'))).toMatchObject({ statusCode: 404 });
});

test('events are read one by one and by type', async () => {
  const created = await stripe.events.list({ type: 'payment_intent.created' });
  expect(created.data).toHaveLength(7);
  const [event] = created.data;
  expect(event).toMatchObject({ object: 'event', type: 'payment_intent.created', pending_webhooks: 0 });
  expect(event?.request?.id).toMatch(/^req_/);
  expect(event?.data.object).toMatchObject({ id: ids[0], status: 'requires_confirmation' });
  expect(await stripe.events.retrieve(event?.id as string)).toEqual(event);
  expect((await stripe.events.list({ type: 'charge.*', limit: 100 })).data).toHaveLength(6);
  const two = await stripe.events.list({
    types: ['charge.succeeded', 'payment_intent.succeeded'],
    limit: 100,
  });
  expect(two.data).toHaveLength(6);
  const both = { type: 'charge.succeeded', types: ['charge.updated'] };
  expect(await failure(stripe.events.list(both))).toMatchObject({ statusCode: 400, param: 'types' });
  const many = { types: Array.from({ length: 21 }, () => 'charge.updated') };
  expect(await failure(stripe.events.list(many))).toMatchObject({ statusCode: 400, param: 'types' });
  expect(await failure(stripe.events.retrieve('evt_nowhere'))).toMatchObject({ statusCode: 404 });
});

test('the balance is what was charged and not refunded, per currency', async () => {
  const balance = await stripe.balance.retrieve();
  expect(balance.available.map(({ amount, currency }) => [currency, amount])).toEqual([
    ['eur', 101 + 102],
    ['jpy', 100],
  ]);
});
