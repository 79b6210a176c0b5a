import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportResponse } from '#console/operations-list/export-response.ts';
import { createShop, runningPayment } from '#console/testing/rows.ts';
import {
  type ConsoleCaller,
  type ConsoleHarness,
  openConsoleHarness,
} from '../../testing/console-harness.ts';

let harness: ConsoleHarness;
let shop: string;
let payment: Awaited<ReturnType<typeof runningPayment>>;
beforeAll(async () => {
  harness = await openConsoleHarness();
  shop = await createShop(harness.db, randomUUID());
  payment = await runningPayment(harness.db, shop);
});
afterAll(() => harness.close());

/** By the search, by the filter, and among the rows of the page that is asked for again. */
async function foundBy(call: ConsoleCaller, typed: string): Promise<string[][]> {
  const [search, filter] = [{ search: typed }, { key: typed }];
  const pages = [await call.operations.list({ filter: search }), await call.operations.list({ filter })];
  const { page } = await call.operations.compare({ filter: search, ids: [] });
  return [...pages.map(({ operations }) => operations.map(({ id }) => id)), page];
}

describe('an idempotency key', () => {
  test('is found by its beginning by an operator', async () => {
    const { call } = await harness.createMember(shop, 'operator');
    expect(await foundBy(call, payment.key.slice(0, 12))).toEqual(Array(3).fill([payment.id]));
  });

  test('is found by the whole of it only by a viewer, who could find it out otherwise', async () => {
    const { call } = await harness.createMember(shop, 'viewer');
    expect(await foundBy(call, payment.key)).toEqual(Array(3).fill([payment.id]));
    for (const length of [8, 12, payment.key.length - 1])
      expect(await foundBy(call, payment.key.slice(0, length))).toEqual([[], [], []]);
  });

  test('is not found by its beginning in a list of several shops, in one of which the person is a viewer', async () => {
    const member = await harness.createMember(shop, 'viewer');
    const other = await harness.openShop(randomUUID());
    const data = { id: randomUUID(), organizationId: other, userId: member.userId, role: 'owner' };
    await harness.db.member.create({ data });
    const { operations } = await member.call.operations.list({
      filter: { search: payment.key.slice(0, 12), shop: 'all' },
    });
    expect(operations).toEqual([]);
  });
});

test('an amount without a currency is kept in an export of another shop, in the currency of that shop', async () => {
  const person = await harness.createMember(await harness.openShop(randomUUID()), 'viewer');
  const data = { id: randomUUID(), organizationId: shop, userId: person.userId, role: 'viewer' };
  await harness.db.member.create({ data });
  const large = await runningPayment(harness.db, shop, { amountMinor: 90_000 });
  const member = { ...(await person.call.people.me()), needs: undefined };
  const request = new Request('http://127.0.0.1:3000/?shop=all&min=800');
  const text = await (await exportResponse(harness.db, request, member, 'UTC', async () => true)).text();
  expect(text).toContain(large.id);
  expect(text).not.toContain(payment.id);
});
