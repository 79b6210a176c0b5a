import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ConsoleCaller as Caller,
  type ConsoleHarness,
  callerOf,
  openConsoleHarness,
} from '#server/testing/console-harness.ts';

let harness: ConsoleHarness;
let acme: Tenant;
let globex: Tenant;

interface Tenant {
  readonly id: string;
  readonly owner: Caller;
  readonly operator: Caller;
  readonly viewer: Caller;
  readonly emailId: string;
  readonly deliveryId: string;
}

beforeAll(async () => {
  harness = await openConsoleHarness();
  [acme, globex] = [await openTenant('acme'), await openTenant('globex')];
});
afterAll(() => harness.close());

/** A shop with an owner, an operator, a viewer, a failed e-mail, and a failed delivery to its live endpoint. */
async function openTenant(slug: string): Promise<Tenant> {
  const { db } = harness;
  const id = await harness.openShop(slug);
  const [owner, operator, viewer] = [
    (await harness.createMember(id, 'owner')).call,
    (await harness.createMember(id, 'operator')).call,
    (await harness.createMember(id, 'viewer')).call,
  ];
  await owner.webhookEndpoints.add({ url: `https://${slug}.example/hooks`, eventTypes: null });
  const failed = { tenantId: id, status: 'failed', attempts: 21, lastError: 'It did not work.' };
  const mail = { toAddress: 'ada@example.com', subject: slug, html: `<p>${slug}</p>`, text: slug };
  const email = await db.email.create({ data: { ...failed, ...mail, dedupeKey: `receipt:${slug}` } });
  const endpoint = await db.merchantWebhookEndpoint.findFirstOrThrow({ where: { tenantId: id } });
  const payment = await db.payment.create({
    data: {
      id: randomUUID(),
      tenantId: id,
      operationId: randomUUID(),
      reference: slug,
      amountMinor: 1200,
      currency: 'usd',
      paymentMethod: 'pm_card_visa',
      status: 'pending',
    },
  });
  const event = await db.outboxEvent.create({
    data: { tenantId: id, paymentId: payment.id, sourceId: payment.id, type: 'payment.succeeded' },
  });
  const delivery = await db.merchantWebhookDelivery.create({
    data: { ...failed, eventId: event.id, endpointId: endpoint.id, type: event.type, body: '{}' },
  });
  return { id, owner, operator, viewer, emailId: email.id, deliveryId: delivery.id };
}

const jobs = () => harness.db.$queryRaw<{ key: string }[]>`SELECT key FROM graphile_worker.jobs`;

describe('a tenant sees its own outbox only', () => {
  test('lists', async () => {
    expect((await acme.viewer.outbox.emails({})).map(({ id }) => id)).toEqual([acme.emailId]);
    expect((await acme.viewer.outbox.deliveries({})).map(({ id }) => id)).toEqual([acme.deliveryId]);
  });

  test('one e-mail', async () => {
    expect(await acme.viewer.outbox.email({ id: acme.emailId })).toMatchObject({
      html: '<p>acme</p>',
      text: 'acme',
    });
    await expect(acme.viewer.outbox.email({ id: globex.emailId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('an invitation’s e-mail, whose link grants access, is read by owners only', async () => {
    const email = await harness.db.email.create({
      data: {
        tenantId: acme.id,
        dedupeKey: 'invitation:1:1',
        toAddress: 'new@example.com',
        subject: 'Invitation',
        html: '<p>link</p>',
        text: 'link',
        status: 'kept',
      },
    });
    const { id } = email;
    await expect(acme.operator.outbox.email({ id })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await acme.owner.outbox.email({ id })).toMatchObject({ text: 'link' });
    await harness.db.email.delete({ where: { tenantId_id: { tenantId: acme.id, id } } });
  });

  test('the list has no bodies', async () => {
    const responses = [await globex.viewer.outbox.emails({}), await globex.viewer.outbox.deliveries({})];
    expect(JSON.stringify(responses)).not.toContain('<p>');
  });

  test('without a session nothing is shown', async () => {
    const stranger = callerOf('');
    await expect(stranger.outbox.emails({})).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });
});

describe('trying again', () => {
  test('is refused to members of another tenant and to viewers', async () => {
    const { emailId, deliveryId } = globex;
    await expect(acme.operator.outbox.retryEmail({ id: emailId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(acme.operator.outbox.retryDelivery({ id: deliveryId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(globex.viewer.outbox.retryEmail({ id: emailId })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await expect(globex.viewer.outbox.retryDelivery({ id: deliveryId })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await jobs()).toEqual([]);
  });

  test('queues what failed with all its attempts, and one job, however often it is asked for', async () => {
    const { operator, emailId, deliveryId } = acme;
    await operator.outbox.retryEmail({ id: emailId });
    await operator.outbox.retryDelivery({ id: deliveryId });
    await expect(operator.outbox.retryEmail({ id: emailId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await operator.outbox.emails({ status: 'queued' })).toMatchObject([
      { id: emailId, attempts: 0, nextAttemptAt: expect.any(String) },
    ]);
    expect(await operator.outbox.deliveries({ status: 'queued' })).toMatchObject([
      { id: deliveryId, attempts: 0, nextAttemptAt: expect.any(String) },
    ]);
    expect((await jobs()).map(({ key }) => key).toSorted()).toEqual([
      `deliver_webhook:${deliveryId}`,
      `send_email:${emailId}`,
    ]);
  });
});
