import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleHarness, openConsoleHarness } from '#server/testing/console-harness.ts';
import { createTurns } from '#server/turns.ts';
import { createPageContext } from '../context.ts';
import { createCaller } from '../root.ts';

let harness: ConsoleHarness;
let tenantId: string;

beforeAll(async () => {
  harness = await openConsoleHarness();
  tenantId = await harness.openShop('acme');
});
afterAll(() => harness.close());

test('what anyone may ask of the shop waits for its turn, and the calls of a payer do not', async () => {
  const { id: orderId } = await harness.db.order.create({
    data: { tenantId, number: 'ACME-00000001', amountMinor: 1450, currency: 'eur' },
  });
  const context = createPageContext(new Headers());
  const callerOf = (atOnce: number) => {
    const visitors = createTurns({ atOnce, waitingOfOne: 0, maxWaitMs: 0 });
    return createCaller({ ...context, services: { ...context.services, visitors } });
  };
  const cart = { id: randomUUID(), lines: [] };
  const askShop = ({ shop }: ReturnType<typeof callerOf>) => [
    shop.list(),
    shop.get({ slug: 'acme' }),
    shop.product({ slug: 'acme', product: 'mug' }),
    shop.cart({ slug: 'acme', cart }),
    shop.order({ orderId }),
    shop.checkOut({ slug: 'acme', cart }),
    shop.buyNow({ slug: 'acme', cart }),
  ];
  const answers = async (asked: Promise<unknown>[]) =>
    (await Promise.allSettled(asked)).map((one) =>
      one.status === 'rejected' ? one.reason.code : 'responded',
    );

  const refused = callerOf(0);
  expect(await answers(askShop(refused))).toEqual(Array(7).fill('SERVICE_UNAVAILABLE'));
  expect(await refused.payments.ofOrder({ orderId })).toBeDefined();
  expect(await refused.payments.status({ orderId, key: randomUUID() })).toBeDefined();
  expect(await refused.shop.charges({ orderId })).toEqual({ kind: 'unavailable' });
  const one = 'responded';
  expect(await answers(askShop(callerOf(7)))).toEqual([one, one, 'NOT_FOUND', one, one, one, one]);
});

test('what anyone may read of an order or an invitation waits for its turn too, and what a payer does never', async () => {
  const { id: orderId } = await harness.db.order.create({
    data: { tenantId, number: 'ACME-00000002', amountMinor: 1450, currency: 'eur' },
  });
  const key = randomUUID();
  const context = createPageContext(new Headers());
  const none = createTurns({ atOnce: 0, waitingOfOne: 0, maxWaitMs: 0 });
  const services = { ...context.services, visitors: none, orderReads: none };
  const { payments, account, shop } = createCaller({ ...context, services });
  const refused = { code: 'SERVICE_UNAVAILABLE' };
  await expect(shop.charges({ orderId })).rejects.toMatchObject(refused);
  await expect(payments.ofOrder({ orderId })).rejects.toMatchObject(refused);
  await expect(payments.status({ orderId, key })).rejects.toMatchObject(refused);
  await expect(payments.watchOrder({ orderId })).rejects.toMatchObject(refused);
  await expect(payments.watch({ orderId, key })).rejects.toMatchObject(refused);
  await expect(account.invitation({ token: 'a'.repeat(43) })).rejects.toMatchObject(refused);
  expect(await payments.returned({ orderId, key })).toEqual({ known: false });
  expect(await payments.cancelOrder({ orderId })).toEqual({ paymentUnderWay: false });
});
