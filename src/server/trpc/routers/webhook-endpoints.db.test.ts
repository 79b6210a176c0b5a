import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ConsoleHarness, openConsoleHarness, type TestPerson } from '../../testing/console-harness.ts';

let harness: ConsoleHarness;
let shop: string;
let owner: TestPerson;
let shops = 0;
beforeAll(async () => {
  harness = await openConsoleHarness();
});
afterAll(() => harness.close());
beforeEach(async () => {
  shop = await harness.openShop(`shop-${++shops}`);
  owner = await harness.createMember(shop, 'owner');
});

const choice = { url: 'https://merchant.example/hooks', description: 'Accounting', eventTypes: null };

const audit = () =>
  harness.db.auditEntry.findMany({
    where: { tenantId: shop, subjectType: 'webhook_endpoint' },
    orderBy: { id: 'asc' },
  });

const list = async (person = owner) => (await person.call.webhookEndpoints.list()).endpoints;

async function expectAllRefused(tries: readonly Promise<unknown>[], code: string): Promise<void> {
  const results = await Promise.allSettled(tries);
  expect(results).toMatchObject(tries.map(() => ({ status: 'rejected', reason: { code } })));
}

test('an endpoint from its beginning to its end, and what the audit log says of it', async () => {
  const { webhookEndpoints } = owner.call;
  const { id, secret } = await webhookEndpoints.add(choice);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  await webhookEndpoints.change({
    id,
    url: 'https://merchant.example/moved',
    eventTypes: ['refund.failed', 'refund.failed'],
  });
  expect(await list()).toMatchObject([
    { id, url: 'https://merchant.example/moved', description: '', eventTypes: ['refund.failed'] },
  ]);
  const rotated = await webhookEndpoints.rotateSecret({ id });
  expect(rotated.secret).not.toBe(secret);
  expect(await list()).toMatchObject([{ oldSecretUntil: rotated.oldUntil }]);
  const { deliveryId } = await webhookEndpoints.sendTest({ id });
  expect(await webhookEndpoints.delivery({ id: deliveryId })).toMatchObject({
    ...{ endpointId: id, type: 'webhook.test', status: 'queued', attempts: 0 },
    nextAttemptAt: expect.any(String),
  });
  await webhookEndpoints.enable({ id, enabled: false });
  expect(await list()).toMatchObject([{ disabledAt: expect.any(String), waiting: 0 }]);
  await expect(webhookEndpoints.sendTest({ id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await webhookEndpoints.enable({ id, enabled: true });
  await webhookEndpoints.remove({ id });
  expect(await list()).toEqual([]);
  await expect(webhookEndpoints.remove({ id })).rejects.toMatchObject({ code: 'NOT_FOUND' });

  const entries = await audit();
  expect(entries.map(({ action }) => action)).toEqual(
    ['add', 'change', 'rotate', 'test', 'disable', 'enable', 'remove'].map(
      (verb) => `webhook_endpoint.${verb}`,
    ),
  );
  expect(entries.every((entry) => entry.subjectId === id && entry.actorEmail === owner.email)).toBe(true);
  expect(entries[1]?.details).toEqual({
    from: { url: choice.url, description: 'Accounting', eventTypes: 'all' },
    to: { url: 'https://merchant.example/moved', description: '', eventTypes: ['refund.failed'] },
  });
  expect(entries[4]?.details).toEqual({ url: 'https://merchant.example/moved', cancelled: 1 });
});

test('a secret is in the response that made it, and nowhere else', async () => {
  const { id, secret } = await owner.call.webhookEndpoints.add(choice);
  const rotated = await owner.call.webhookEndpoints.rotateSecret({ id });
  const seen = JSON.stringify([
    await owner.call.webhookEndpoints.list(),
    await owner.call.outbox.deliveries({}),
    await owner.call.audit.list({}),
    (await audit()).map(({ details }) => details),
  ]);
  for (const one of [secret, rotated.secret]) expect(seen).not.toContain(one.slice('whsec_'.length));
  expect(seen).not.toContain('whsec_');
});

describe('who may do what', () => {
  test('all members see the endpoints; an operator may send a test; only an owner changes anything', async () => {
    const { id } = await owner.call.webhookEndpoints.add(choice);
    const viewer = await harness.createMember(shop, 'viewer');
    const operator = await harness.createMember(shop, 'operator');
    const approver = await harness.createMember(shop, 'approver');
    expect(await list(viewer)).toMatchObject([{ id }]);
    await expect(viewer.call.webhookEndpoints.sendTest({ id })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    for (const { call } of [viewer, operator, approver]) {
      const { webhookEndpoints } = call;
      const tries = [
        webhookEndpoints.add({ ...choice, url: 'https://merchant.example/other' }),
        webhookEndpoints.change({ ...choice, id, eventTypes: ['refund.failed'] }),
        webhookEndpoints.enable({ id, enabled: false }),
        webhookEndpoints.rotateSecret({ id }),
        webhookEndpoints.remove({ id }),
      ];
      await expectAllRefused(tries, 'FORBIDDEN');
    }
    await operator.call.webhookEndpoints.sendTest({ id });
    expect(await list()).toMatchObject([{ url: choice.url, eventTypes: [], disabledAt: null }]);
  });

  test('every change takes a fresh proof, and nothing of it was done before', async () => {
    const { id } = await owner.call.webhookEndpoints.add(choice);
    const before = await list();
    await harness.db.session.updateMany({
      where: { userId: owner.userId },
      data: { confirmedAt: new Date(Date.now() - 31 * 60_000) },
    });
    const { webhookEndpoints } = owner.call;
    const tries = [
      webhookEndpoints.add({ ...choice, url: 'https://merchant.example/other' }),
      webhookEndpoints.change({ ...choice, id, eventTypes: ['refund.failed'] }),
      webhookEndpoints.enable({ id, enabled: false }),
      webhookEndpoints.rotateSecret({ id }),
      webhookEndpoints.remove({ id }),
    ];
    await expectAllRefused(tries, 'PRECONDITION_REQUIRED');
    expect(await list()).toEqual(before);
    expect(await audit()).toHaveLength(1);
  });

  test('another shop’s endpoint is as one that does not exist', async () => {
    const { id } = await owner.call.webhookEndpoints.add(choice);
    const { deliveryId } = await owner.call.webhookEndpoints.sendTest({ id });
    const stranger = await harness.createMember(await harness.openShop(`other-${shops}`), 'owner');
    const { webhookEndpoints } = stranger.call;
    const tries = [
      webhookEndpoints.change({ ...choice, id }),
      webhookEndpoints.enable({ id, enabled: false }),
      webhookEndpoints.rotateSecret({ id }),
      webhookEndpoints.remove({ id }),
      webhookEndpoints.sendTest({ id }),
      webhookEndpoints.delivery({ id: deliveryId }),
    ];
    await expectAllRefused(tries, 'NOT_FOUND');
    expect(await list(stranger)).toEqual([]);
    expect(await list()).toMatchObject([{ id, disabledAt: null, oldSecretUntil: null }]);
    // The same address is no secret of the other shop.
    await webhookEndpoints.add(choice);
  });
});

test('a form that was opened before another owner’s change does not undo it unseen', async () => {
  const { id } = await owner.call.webhookEndpoints.add(choice);
  const [shown] = await list();
  if (!shown) throw new Error('The endpoint is not listed.');
  const seen = { url: shown.url, description: shown.description, eventTypes: shown.eventTypes };
  const other = await harness.createMember(shop, 'owner');
  const moved = { ...choice, id, seen, url: 'https://merchant.example/moved' };
  await other.call.webhookEndpoints.change(moved);

  const described = { ...choice, id, seen, description: 'Orders' };
  await expect(owner.call.webhookEndpoints.change(described)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await list()).toMatchObject([{ url: moved.url, description: choice.description }]);
  expect((await audit()).map(({ action }) => action)).toEqual([
    'webhook_endpoint.add',
    'webhook_endpoint.change',
  ]);
  // A request that is repeated because its response was lost is no conflict with itself.
  await other.call.webhookEndpoints.change(moved);
  const again = { ...described, url: moved.url, seen: { ...seen, url: moved.url } };
  await owner.call.webhookEndpoints.change(again);
  expect(await list()).toMatchObject([{ url: moved.url, description: 'Orders' }]);
});

describe('what is refused, with words that say why', () => {
  test.each([
    ['http://merchant.example', 'The address must be a public one that starts with https://.'],
    ['https://10.0.0.1/', 'The address must be a public one that starts with https://.'],
    ['https://user:secret@merchant.example/', 'The address must be a public one that starts with https://.'],
    ['ftp://merchant.example', 'The address must be a public one that starts with https://.'],
    ['nonsense', 'Enter an address such as https://shop.example/hooks.'],
  ])('the address %s', async (url, message) => {
    const adding = owner.call.webhookEndpoints.add({ ...choice, url });
    await expect(adding).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining(message),
    });
  });

  test('loopback is allowed while the provider is the sandbox', async () => {
    await owner.call.webhookEndpoints.add({ ...choice, url: 'http://127.0.0.1:4000/hooks' });
  });

  test('a second endpoint at the same address, no event at all, and one more than the limit', async () => {
    const { webhookEndpoints } = owner.call;
    await webhookEndpoints.add(choice);
    await expect(webhookEndpoints.add(choice)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'There is already an endpoint at this address.',
    });
    await expect(webhookEndpoints.add({ ...choice, eventTypes: [] })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    for (let n = 1; n < 10; n += 1) await webhookEndpoints.add({ ...choice, url: `${choice.url}/${n}` });
    await expect(webhookEndpoints.add({ ...choice, url: `${choice.url}/10` })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'A shop has at most 10 endpoints. Remove one first.',
    });
  });
});
