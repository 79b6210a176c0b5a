import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ConsoleStand, openConsoleStand, type TestPerson } from '../testing/console-harness.ts';

type Member = TestPerson & { readonly memberId: string };

let stand: ConsoleStand;
let shops = 0;
let shop: string;
let owner: Member;
beforeAll(async () => {
  stand = await openConsoleStand();
});
afterAll(() => stand.close());
beforeEach(async () => {
  shop = await stand.openShop(`shop-${++shops}`);
  owner = await stand.createMember(shop, 'owner');
});

const newcomer = { name: 'Ada Lovelace', password: 'a long enough password' };
const deeds = async () =>
  (await stand.db.auditEntry.findMany({ where: { tenantId: shop }, orderBy: { id: 'asc' } })).map(
    ({ action }) => action,
  );

/** The link as the invited person finds it in the letter. */
async function tokenIn(email: string): Promise<string> {
  const letter = await stand.db.email.findFirstOrThrow({
    where: { toAddress: email },
    orderBy: { createdAt: 'desc' },
  });
  const token = /\/admin\/invitation\/([\w-]{43})/.exec(letter.text)?.[1];
  if (!token) throw new Error('The letter holds no link.');
  return token;
}

let invited = 0;
async function invite(role: 'viewer' | 'owner' = 'viewer') {
  const email = `invited-${++invited}@example.com`;
  const { id } = await owner.call.people.invite({ email, role });
  return { id, email, token: await tokenIn(email) };
}

describe('an invitation', () => {
  const stranger = async () => (await import('../testing/console-harness.ts')).callerOf('');

  test('becomes an account and a membership, once, and the letter is one job', async () => {
    const { email, token } = await invite();
    const jobs = await stand.db.$queryRaw<{ task: string }[]>`
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
    const signedIn = await stand.post('/sign-in/email', { email, password: newcomer.password });
    expect(signedIn.status).toBe(200);
    expect(await owner.call.people.members()).toMatchObject([{ role: 'owner' }, { email, role: 'viewer' }]);
    expect(await deeds()).toEqual(['member.invite', 'member.join']);
  });

  test('accepted ten times at once makes one account', async () => {
    const { email, token } = await invite();
    const guest = await stranger();
    const all = await Promise.allSettled(
      Array.from({ length: 10 }, () => guest.account.accept({ token, ...newcomer })),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await stand.db.user.count({ where: { email } })).toBe(1);
  });

  test('is over when its time is, when it is revoked, and when it was sent again', async () => {
    const [late, revoked, again] = [await invite(), await invite(), await invite()];
    await stand.db.invitation.update({ where: { id: late.id }, data: { expiresAt: new Date(0) } });
    await owner.call.people.revokeInvitation({ id: revoked.id });
    await owner.call.people.resendInvitation({ id: again.id });
    const guest = await stranger();
    for (const { token } of [late, revoked, again]) {
      await expect(guest.account.invitation({ token })).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(guest.account.accept({ token, ...newcomer })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    const token = await tokenIn(again.email);
    expect(token).not.toBe(again.token);
    await guest.account.accept({ token, ...newcomer });
  });

  test('to an address that has an account is for its owner alone, signed in', async () => {
    const [known, other] = [await stand.createPerson(), await stand.createPerson()];
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
    await stand.db.invitation.update({ where: { id }, data: { expiresAt: new Date(0) } });
    await owner.call.people.invite({ email, role: 'owner' });
    await expect(owner.call.people.invite({ email: owner.email, role: 'viewer' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });

  test('of somebody who may no longer invite is over', async () => {
    const second = await stand.createMember(shop, 'owner');
    await second.call.people.invite({ email: 'friend@example.com', role: 'owner' });
    const token = await tokenIn('friend@example.com');
    await owner.call.people.changeRole({ id: second.memberId, role: 'viewer' });
    await expect((await stranger()).account.invitation({ token })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('keeps its token out of the table and of every list', async () => {
    const { token } = await invite();
    const seen = [await owner.call.people.invitations(), await owner.call.outbox.emails({})];
    const rows = await stand.db.invitation.findMany();
    expect(JSON.stringify([seen, rows])).not.toContain(token);
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
      const here = await stand.openShop(`duel-${round}`);
      const [one, other] = [await stand.createMember(here, 'owner'), await stand.createMember(here, 'owner')];
      const both = await Promise.allSettled([
        one.call.people.changeRole({ id: other.memberId, role: 'viewer' }),
        other.call.people.changeRole({ id: one.memberId, role: 'viewer' }),
      ]);
      expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await stand.db.member.count({ where: { organizationId: here, role: 'owner' } })).toBe(1);
    }
  });

  test('is held by the database, whatever statement comes: two at once, all at once, with the account', async () => {
    const second = await stand.createMember(shop, 'owner');
    const demote = (id: string) => stand.db.$executeRaw`UPDATE member SET role = 'viewer' WHERE id = ${id}`;
    const both = await Promise.allSettled([demote(owner.memberId), demote(second.memberId)]);
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(stand.db.$executeRaw`DELETE FROM member WHERE organization_id = ${shop}`).rejects.toThrow(
      'the last owner stays',
    );
    const [left] = await stand.db.member.findMany({ where: { organizationId: shop, role: 'owner' } });
    await expect(stand.db.user.delete({ where: { id: left?.userId ?? '' } })).rejects.toThrow();
  });

  test('goes only with the whole shop', async () => {
    await stand.db.organization.delete({ where: { id: shop } });
    expect(await stand.db.member.count({ where: { organizationId: shop } })).toBe(0);
  });
});

describe('what somebody lost they have lost with the next request', () => {
  test('a demoted operator, and a removed one', async () => {
    const member = await stand.createMember(shop, 'operator');
    const webhook = { id: crypto.randomUUID() };
    await expect(member.call.outbox.retryEmail(webhook)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await owner.call.people.changeRole({ id: member.memberId, role: 'viewer' });
    await expect(member.call.outbox.retryEmail(webhook)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await member.call.people.me()).toMatchObject({ role: 'viewer' });
    await owner.call.people.remove({ id: member.memberId });
    await expect(member.call.people.me()).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await member.call.account.me()).toMatchObject({ shops: [] });
    expect(await deeds()).toEqual(['member.change_role', 'member.remove']);
  });

  test('a shop that somebody was looking at: they find themselves in another of theirs', async () => {
    const other = await stand.openShop(`other-${shops}`);
    const member = await stand.createMember(shop, 'viewer');
    await stand.db.member.create({
      data: { id: `${other}-x`, organizationId: other, userId: member.userId, role: 'owner' },
    });
    await member.call.account.switchShop({ tenantId: other });
    expect(await member.call.people.me()).toMatchObject({ tenantId: other, role: 'owner' });
    await stand.db.member.create({
      data: { id: `${other}-y`, organizationId: other, userId: owner.userId, role: 'owner' },
    });
    await stand.db.member.delete({ where: { id: `${other}-x` } });
    expect(await member.call.people.me()).toMatchObject({ tenantId: shop, role: 'viewer' });
  });

  test('nobody looks at a shop that is not theirs', async () => {
    const other = await stand.openShop(`closed-${shops}`);
    await expect(owner.call.account.switchShop({ tenantId: other })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('API keys', () => {
  test('are told once, work, say when they were used, and stop when they are revoked', async () => {
    const { findTenantByApiKey } = await import('#server/api-keys.ts');
    const { id, token } = await owner.call.apiKeys.create({ name: 'Till' });
    expect(await findTenantByApiKey(stand.db, token)).toEqual({ keyId: id, tenantId: shop });
    const [listed] = await owner.call.apiKeys.list();
    expect(listed).toMatchObject({ id, name: 'Till', lastUsedAt: expect.any(String), revokedAt: null });
    expect(JSON.stringify(listed)).not.toContain(token);
    await owner.call.apiKeys.revoke({ id });
    expect(await findTenantByApiKey(stand.db, token)).toBeUndefined();
    await expect(owner.call.apiKeys.revoke({ id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await deeds()).toEqual(['api_key.create', 'api_key.revoke']);
    const log = await stand.db.auditEntry.findMany({ where: { tenantId: shop } });
    expect(
      JSON.stringify(log, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toContain(token);
  });
});
