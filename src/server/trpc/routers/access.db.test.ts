import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { shopHeader } from '#console/members/shop-header.ts';
import { operationRefOf } from '#idempotency/index.ts';
import {
  type ConsoleHarness,
  callerOf,
  isWaitedFor,
  openConsoleHarness,
  type TestPerson,
} from '../../testing/console-harness.ts';

type Member = TestPerson & { readonly memberId: string };

let harness: ConsoleHarness;
let shops = 0;
let shop: string;
let owner: Member;
beforeAll(async () => {
  harness = await openConsoleHarness();
});
afterAll(() => harness.close());
beforeEach(async () => {
  shop = await harness.openShop(`shop-${++shops}`);
  owner = await harness.createMember(shop, 'owner');
});

const entries = async () =>
  (await harness.db.auditEntry.findMany({ where: { tenantId: shop }, orderBy: { id: 'asc' } })).map(
    ({ action }) => action,
  );

describe('the stream of changes ends at once', () => {
  test.each<[string, (person: Member) => Promise<unknown>]>([
    ['a membership that is taken away', ({ memberId }) => owner.call.people.remove({ id: memberId })],
    ['a session that is ended elsewhere', ({ userId }) => endSessions(userId)],
    ['a second factor that the shop asks for from now on', () => askForSecondFactor()],
  ])('with %s', async (_, end) => {
    const member = await harness.createMember(shop, 'viewer');
    const bystander = await harness.createMember(shop, 'viewer');
    const changes = (await member.call.operations.changes({}))[Symbol.asyncIterator]();
    const next = changes.next();
    await harness.services.listener.connected();
    await bystander.call.account.endOtherSessions();
    await owner.call.people.remove({ id: bystander.memberId });
    await end(member);
    expect(await next).toEqual({ done: true, value: undefined });
  });

  const endSessions = (userId: string) => harness.db.session.deleteMany({ where: { userId } });
  const askForSecondFactor = () =>
    harness.db.tenantSettings.create({ data: { tenantId: shop, secondFactor: true } });

  test('with a process that stops, by an error, so that the page opens it again elsewhere', async () => {
    const member = await harness.createMember(shop, 'viewer');
    const stop = new AbortController();
    const slot = Symbol.for('paidonce.stopping');
    const before = Reflect.get(globalThis, slot);
    Reflect.set(globalThis, slot, stop.signal);
    const changes = (await member.call.operations.changes({}))[Symbol.asyncIterator]();
    const next = changes.next();
    await harness.services.listener.connected();
    stop.abort();
    await expect(next).rejects.toThrow(/abort/i);
    Reflect.set(globalThis, slot, before);
  });

  test('and goes on for a person whose role was changed', async () => {
    const member = await harness.createMember(shop, 'viewer');
    const changes = (await member.call.operations.changes({}))[Symbol.asyncIterator]();
    const next = changes.next();
    await harness.services.listener.connected();
    await owner.call.people.changeRole({ id: member.memberId, role: 'operator' });
    const id = crypto.randomUUID();
    harness.services.listener.notify([`${id}:${shop}`]);
    expect(await next).toEqual({ done: false, value: [id] });
    await changes.return?.();
  });
});

describe('a change of membership applies to requests that have begun', () => {
  const role = 'owner' as const;
  test.each<[string, (call: Member['call'], other: Member, invitation: { id: string }) => Promise<unknown>]>([
    ['a role', (call, other) => call.people.changeRole({ id: other.memberId, role })],
    ['a removal', (call, other) => call.people.remove({ id: other.memberId })],
    ['an invitation', (call) => call.people.invite({ email: 'accomplice@example.com', role })],
    [
      'an invitation of their own, sent again',
      (call, _, invitation) => call.people.resendInvitation(invitation),
    ],
    [
      'an invitation of their own, revoked',
      (call, _, invitation) => call.people.revokeInvitation(invitation),
    ],
    ['an API key', (call) => call.apiKeys.create({ name: 'for later', scopes: ['refund'] })],
    ['a limit', (call) => call.refunds.setLimits([{ currency: 'usd', amountMinor: 5 }])],
    [
      'an endpoint',
      (call) => call.webhookEndpoints.add({ url: 'https://accomplice.example/', eventTypes: null }),
    ],
    ['a contact', (call) => call.settings.setContact({ email: 'accomplice@example.com' })],
  ])('%s by an owner who is being removed is not committed after the removal', async (_, change) => {
    const leaving = await harness.createMember(shop, 'owner');
    const other = await harness.createMember(shop, 'viewer');
    const invitation = await leaving.call.people.invite({ email: `${shop}@example.com`, role });
    const count = () =>
      harness.db.$queryRaw<unknown[]>`
        SELECT (SELECT string_agg(status || token_hash, ',') FROM invitation WHERE organization_id = ${shop}) AS invitations,
          (SELECT count(*) FROM api_key WHERE tenant_id = ${shop})::int AS keys,
          (SELECT count(*) FROM refund_limit WHERE tenant_id = ${shop})::int AS limits,
          (SELECT count(*) FROM merchant_webhook_endpoint WHERE tenant_id = ${shop})::int AS endpoints,
          (SELECT contact_email FROM organization WHERE id = ${shop}) AS contact,
          (SELECT string_agg(role, ',' ORDER BY id) FROM member
            WHERE organization_id = ${shop} AND user_id <> ${leaving.userId}) AS roles`;
    const before = await count();
    let changed: Promise<unknown> = Promise.resolve();
    await harness.db.$transaction(
      async (tx) => {
        await tx.$executeRaw`DELETE FROM member WHERE id = ${leaving.memberId}`;
        // It reads the role, which is still there, and then waits for the removal.
        changed = change(leaving.call, other, invitation);
        changed.catch(() => undefined);
        await Promise.race([
          changed.catch(() => undefined),
          vi.waitUntil(() => isWaitedFor(harness.db, tx), { timeout: 20_000 }),
        ]);
        // The removal revokes their invitations next. If one were locked, each would wait for the other.
        await tx.$queryRaw`SELECT FROM invitation WHERE organization_id = ${shop} FOR UPDATE NOWAIT`;
      },
      { timeout: 30_000 },
    );
    await expect(changed).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await count()).toEqual(before);
  });
});

describe('a change of membership applies to the next request', () => {
  test('of an operator who is demoted, and then removed', async () => {
    const member = await harness.createMember(shop, 'operator');
    const webhook = { id: crypto.randomUUID() };
    await expect(member.call.outbox.retryEmail(webhook)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await owner.call.people.changeRole({ id: member.memberId, role: 'viewer' });
    await expect(member.call.outbox.retryEmail(webhook)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await member.call.people.me()).toMatchObject({ role: 'viewer' });
    await owner.call.people.remove({ id: member.memberId });
    await expect(member.call.people.me()).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await member.call.account.me()).toMatchObject({ shops: [] });
    expect(await entries()).toEqual(['member.change_role', 'member.remove']);
  });

  test('of a person removed from the open shop: another of their shops is opened', async () => {
    const other = await harness.openShop(`other-${shops}`);
    const member = await harness.createMember(shop, 'viewer');
    await harness.db.member.create({
      data: { id: `${other}-x`, organizationId: other, userId: member.userId, role: 'owner' },
    });
    await member.call.account.switchShop({ tenantId: other });
    expect(await member.call.people.me()).toMatchObject({ tenantId: other, role: 'owner' });
    await harness.db.member.create({
      data: { id: `${other}-y`, organizationId: other, userId: owner.userId, role: 'owner' },
    });
    await harness.db.member.delete({ where: { id: `${other}-x` } });
    expect(await member.call.people.me()).toMatchObject({ tenantId: shop, role: 'viewer' });
  });

  test.each(['opens another shop in another tab', 'is removed from the shop that the page shows'])(
    'a person who %s changes nothing in the other one by the open page',
    async (what) => {
      const other = await harness.openShop(`second-${shops}`);
      const person = await harness.createMember(shop, 'owner');
      const { userId } = person;
      // Later: of two memberships the older one is opened first, and these would often be of one millisecond.
      const createdAt = new Date(Date.now() + 1_000);
      await harness.db.member.create({
        data: { id: `${other}-z`, organizationId: other, userId, role: 'owner', createdAt },
      });
      const page = callerOf(person.cookie, { [shopHeader]: shop });
      expect(await page.people.me()).toMatchObject({ tenantId: shop });
      if (what.startsWith('opens')) await person.call.account.switchShop({ tenantId: other });
      else await owner.call.people.remove({ id: person.memberId });
      const refused = { code: 'PRECONDITION_FAILED' };
      const accomplice = { email: 'accomplice@example.com', role: 'owner' } as const;
      await expect(page.people.invite(accomplice)).rejects.toMatchObject(refused);
      await expect(page.operations.list({})).rejects.toMatchObject(refused);
      expect(await harness.db.invitation.count({ where: { organizationId: { in: [shop, other] } } })).toBe(0);
      // Their own account is not a shop's, and the reloaded page shows the shop that is open.
      expect(await page.account.me()).toMatchObject({ userId });
      const reloaded = callerOf(person.cookie, { [shopHeader]: other });
      expect(await reloaded.people.me()).toMatchObject({ tenantId: other });
    },
  );

  test('a shop cannot be opened by a person who is not a member', async () => {
    const other = await harness.openShop(`closed-${shops}`);
    await expect(owner.call.account.switchShop({ tenantId: other })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('questions to the provider, whose limit is one for all tenants', () => {
  const operationId = crypto.randomUUID();
  const ask = (person: Member) =>
    person.call.operation.examine({ operationId }).catch(({ code }: { code: string }) => code);

  test('are two a second for a person, however they are asked', async () => {
    const viewer = await harness.createMember(shop, 'viewer');
    const asked = await Promise.all(Array.from({ length: 121 }, () => ask(viewer)));
    expect(asked.filter((code) => code === 'TOO_MANY_REQUESTS')).toHaveLength(1);
    expect(asked.filter((code) => code === 'NOT_FOUND')).toHaveLength(120);
    const reason = 'The statement shows it.';
    const operator = await harness.createMember(shop, 'operator');
    const key = `ask person ${operator.userId}`;
    expect(await ask(operator)).toBe('NOT_FOUND');
    await harness.db.rateLimit.updateMany({ where: { key }, data: { count: 120 } });
    const refused = { code: 'TOO_MANY_REQUESTS' };
    await expect(operator.call.operation.reconcile({ operationId })).rejects.toMatchObject(refused);
    const assertion = { operationId, assertion: 'charged', reason, digest: 'a'.repeat(64) } as const;
    await expect(operator.call.operation.resolve(assertion)).rejects.toMatchObject(refused);
  });

  test('are ten a second for a shop, however many members it has', async () => {
    const [one, other] = [
      await harness.createMember(shop, 'viewer'),
      await harness.createMember(shop, 'viewer'),
    ];
    expect(await ask(one)).toBe('NOT_FOUND');
    await harness.db.rateLimit.updateMany({ where: { key: `ask tenant ${shop}` }, data: { count: 599 } });
    expect([await ask(other), await ask(one)]).toEqual(['NOT_FOUND', 'TOO_MANY_REQUESTS']);
  });

  test('are ten a second for a shop also about many operations at once, which are more than a person may ask otherwise', async () => {
    const scope = { tenantId: shop, operation: 'payment.create', key: crypto.randomUUID() };
    const record = { ...scope, fingerprint: 'f', fingerprintVersion: 1, fieldDigests: {}, principal: 'api' };
    const { id } = operationRefOf(scope);
    await harness.services.store.claim({ ...record, id, leaseMs: 60_000, effectSent: false });
    const operator = await harness.createMember(shop, 'operator');
    const askOneOfMany = () =>
      operator.call.operations
        .reconcileOneOfMany({ operationId: id, bulkId: crypto.randomUUID() })
        .then(({ kind }) => kind)
        .catch(({ code }: { code: string }) => code);
    expect(await askOneOfMany()).toBe('skipped');
    expect(await harness.db.rateLimit.count({ where: { key: `ask person ${operator.userId}` } })).toBe(0);
    await harness.db.rateLimit.updateMany({ where: { key: `ask tenant ${shop}` }, data: { count: 599 } });
    expect([await askOneOfMany(), await askOneOfMany()]).toEqual(['skipped', 'TOO_MANY_REQUESTS']);
  });
});

describe('saved views', () => {
  test('are fifty for a person, also when ten are saved at once', async () => {
    const { call, userId } = await harness.createMember(shop, 'viewer');
    const before = Array.from({ length: 45 }, (_, n) => ({
      tenantId: shop,
      userId,
      name: `${n}`,
      query: '',
    }));
    await harness.db.savedView.createMany({ data: before });
    const saved = await Promise.all(
      Array.from({ length: 10 }, (_, n) => call.views.save({ name: `view ${n}`, query: '' })),
    );
    expect(saved.filter(({ kind }) => kind === 'saved')).toHaveLength(5);
    expect(await harness.db.savedView.count({ where: { userId } })).toBe(50);
  });
});
