import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ConsoleHarness, openConsoleHarness, type TestPerson } from '../../testing/console-harness.ts';

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

const newcomer = { name: 'Ada Lovelace', password: 'a long enough password' };
const entries = async () =>
  (await harness.db.auditEntry.findMany({ where: { tenantId: shop }, orderBy: { id: 'asc' } })).map(
    ({ action }) => action,
  );

/** The link as the invited person finds it in the e-mail. */
async function tokenIn(email: string): Promise<string> {
  const mail = await harness.db.email.findFirstOrThrow({
    where: { toAddress: email },
    orderBy: { createdAt: 'desc' },
  });
  const token = /\/admin\/invitation\/([\w-]{43})/.exec(mail.text)?.[1];
  if (!token) throw new Error('The e-mail holds no link.');
  return token;
}

let invited = 0;
async function invite(role: 'viewer' | 'owner' = 'viewer') {
  const email = `invited-${++invited}@example.com`;
  const { id } = await owner.call.people.invite({ email, role });
  return { id, email, token: await tokenIn(email) };
}

describe('an invitation', () => {
  const stranger = async () => (await import('../../testing/console-harness.ts')).callerOf('');

  test('becomes an account and a membership, once, and the e-mail is one job', async () => {
    const { email, token } = await invite();
    const jobs = await harness.db.$queryRaw<{ task: string }[]>`
      SELECT task_identifier AS task FROM graphile_worker.jobs`;
    expect(jobs.map(({ task }) => task)).toContain('send_email');
    const guest = await stranger();
    expect(await guest.account.invitation({ token })).toMatchObject({
      email,
      role: 'viewer',
      hasAccount: false,
    });
    await guest.account.accept({ token, ...newcomer });
    await expect(guest.account.accept({ token, ...newcomer })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const signedIn = await harness.post('/sign-in/email', { email, password: newcomer.password });
    expect(signedIn.status).toBe(200);
    expect(await owner.call.people.members()).toMatchObject([{ role: 'owner' }, { email, role: 'viewer' }]);
    expect(await entries()).toEqual(['member.invite', 'member.join']);
  });

  test('accepted ten times at once makes one account', async () => {
    const { email, token } = await invite();
    const guest = await stranger();
    const all = await Promise.allSettled(
      Array.from({ length: 10 }, () => guest.account.accept({ token, ...newcomer })),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await harness.db.user.count({ where: { email } })).toBe(1);
  });

  test('is over when its time is, when it is revoked, and when it was sent again', async () => {
    const [expired, revoked, again] = [await invite(), await invite(), await invite()];
    await harness.db.invitation.update({ where: { id: expired.id }, data: { expiresAt: new Date(0) } });
    await owner.call.people.revokeInvitation({ id: revoked.id });
    await owner.call.people.resendInvitation({ id: again.id });
    const guest = await stranger();
    for (const { token } of [expired, revoked, again]) {
      await expect(guest.account.invitation({ token })).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(guest.account.accept({ token, ...newcomer })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    const token = await tokenIn(again.email);
    expect(token).not.toBe(again.token);
    await guest.account.accept({ token, ...newcomer });
  });

  test('to an address that has an account is for its owner alone, signed in', async () => {
    const [known, other] = [await harness.createPerson(), await harness.createPerson()];
    await owner.call.people.invite({ email: known.email.toUpperCase(), role: 'operator' });
    const token = await tokenIn(known.email);
    const guest = await stranger();
    await expect(guest.account.accept({ token, ...newcomer })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(guest.account.join({ token })).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await expect(other.call.account.join({ token })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await known.call.account.join({ token });
    expect(await known.call.people.me()).toMatchObject({ tenantId: shop, role: 'operator' });
  });

  test('is one per address; an expired one makes room, and members are not invited', async () => {
    const { id, email } = await invite();
    await expect(owner.call.people.invite({ email, role: 'owner' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await harness.db.invitation.update({ where: { id }, data: { expiresAt: new Date(0) } });
    await owner.call.people.invite({ email, role: 'owner' });
    await expect(owner.call.people.invite({ email: owner.email, role: 'viewer' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });

  test('of somebody who may no longer invite is over', async () => {
    const second = await harness.createMember(shop, 'owner');
    await second.call.people.invite({ email: 'friend@example.com', role: 'owner' });
    const token = await tokenIn('friend@example.com');
    await owner.call.people.changeRole({ id: second.memberId, role: 'viewer' });
    await expect((await stranger()).account.invitation({ token })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('keeps its token out of the table and of every list', async () => {
    const { token } = await invite();
    const responses = [await owner.call.people.invitations(), await owner.call.outbox.emails({})];
    const rows = await harness.db.invitation.findMany();
    expect(JSON.stringify([responses, rows])).not.toContain(token);
  });
});

describe('the last owner', () => {
  test('can be neither removed nor demoted, by themselves neither', async () => {
    const { memberId: id } = owner;
    await expect(owner.call.people.changeRole({ id, role: 'viewer' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await expect(owner.call.people.remove({ id })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await owner.call.people.me()).toMatchObject({ role: 'owner' });
  });

  test('two owners who demote each other at the same moment: one of them stays', async () => {
    for (let round = 0; round < 10; round++) {
      const here = await harness.openShop(`duel-${round}`);
      const [one, other] = [
        await harness.createMember(here, 'owner'),
        await harness.createMember(here, 'owner'),
      ];
      const both = await Promise.allSettled([
        one.call.people.changeRole({ id: other.memberId, role: 'viewer' }),
        other.call.people.changeRole({ id: one.memberId, role: 'viewer' }),
      ]);
      expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await harness.db.member.count({ where: { organizationId: here, role: 'owner' } })).toBe(1);
    }
  });

  test('is held by the database, whatever statement comes: two at once, all at once, with the account', async () => {
    const second = await harness.createMember(shop, 'owner');
    const demote = (id: string) => harness.db.$executeRaw`UPDATE member SET role = 'viewer' WHERE id = ${id}`;
    const both = await Promise.allSettled([demote(owner.memberId), demote(second.memberId)]);
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(harness.db.$executeRaw`DELETE FROM member WHERE organization_id = ${shop}`).rejects.toThrow(
      'the last owner stays',
    );
    const [left] = await harness.db.member.findMany({ where: { organizationId: shop, role: 'owner' } });
    await expect(harness.db.user.delete({ where: { id: left?.userId ?? '' } })).rejects.toThrow();
  });

  test('goes only with the whole shop', async () => {
    await harness.db.organization.delete({ where: { id: shop } });
    expect(await harness.db.member.count({ where: { organizationId: shop } })).toBe(0);
  });
});

describe('what somebody lost they have lost with the next request', () => {
  test('a demoted operator, and a removed one', async () => {
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

  test('a shop that somebody was looking at: they find themselves in another of theirs', async () => {
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

  test('a shop of which one is no member cannot be opened', async () => {
    const other = await harness.openShop(`closed-${shops}`);
    await expect(owner.call.account.switchShop({ tenantId: other })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('API keys', () => {
  test('are shown once, work, say when they were used, and stop when they are revoked', async () => {
    const { findTenantByApiKey } = await import('#server/api-keys.ts');
    const { id, token } = await owner.call.apiKeys.create({ name: 'Till' });
    expect(await findTenantByApiKey(harness.db, token)).toEqual({ keyId: id, tenantId: shop });
    const [listed] = await owner.call.apiKeys.list();
    expect(listed).toMatchObject({ id, name: 'Till', lastUsedAt: expect.any(String), revokedAt: null });
    expect(JSON.stringify(listed)).not.toContain(token);
    await owner.call.apiKeys.revoke({ id });
    expect(await findTenantByApiKey(harness.db, token)).toBeUndefined();
    await expect(owner.call.apiKeys.revoke({ id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await entries()).toEqual(['api_key.create', 'api_key.revoke']);
    const log = await harness.db.auditEntry.findMany({ where: { tenantId: shop } });
    expect(
      JSON.stringify(log, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toContain(token);
  });
});
