import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { appointOwner } from '../../auth/appoint-owner.ts';
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
    expect(await entries()).toEqual(['member.invite', 'member.join', 'account.sign_in']);
  });

  test('that was mailed has its link in the mailbox only: no owner reads it in the outbox', async () => {
    const settings = harness.services.settings as { SMTP_URL?: string | undefined };
    settings.SMTP_URL = 'smtp://mail.example';
    const { id, email, token } = await invite('owner').finally(() => {
      settings.SMTP_URL = undefined;
    });
    const { id: mailId } = await harness.db.email.findFirstOrThrow({ where: { toAddress: email } });
    const read = await owner.call.outbox.email({ id: mailId });
    expect(read.text).toContain('/admin/invitation/…');
    expect(JSON.stringify(read)).not.toContain(token);

    await (await stranger()).account.accept({ token, ...newcomer });
    const join = await harness.db.auditEntry.findFirst({ where: { action: 'member.join', subjectId: id } });
    expect(join?.details).toEqual({ role: 'owner', by: 'mailed_link' });
    expect(await harness.db.user.findUnique({ where: { email } })).toMatchObject({ emailVerified: true });
  });

  test('without a mail server is shown to owners, and the log and the members page say so', async () => {
    const { id, email, token } = await invite('owner');
    const { id: mailId } = await harness.db.email.findFirstOrThrow({ where: { toAddress: email } });
    expect((await owner.call.outbox.email({ id: mailId })).text).toContain(token);
    await (await stranger()).account.accept({ token, ...newcomer });
    const join = await harness.db.auditEntry.findFirst({ where: { action: 'member.join', subjectId: id } });
    expect(join?.details).toEqual({ role: 'owner', by: 'shown_link' });
    expect(await harness.db.user.findUnique({ where: { email } })).toMatchObject({ emailVerified: false });
    expect(await owner.call.people.members()).toMatchObject([
      { joinedBy: 'administrator', approvesFrom: null },
      { joinedBy: 'shown_link', approvesFrom: expect.any(String) },
    ]);
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

  test('is no longer valid when it has expired, was revoked, or was sent again', async () => {
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

  test('to an address that has an account can be accepted only by that account, signed in', async () => {
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

  test('is one of thirty e-mails in half an hour that a shop sends, the repeated ones included', async () => {
    const { id } = await invite();
    await harness.db.rateLimit.updateMany({ where: { key: `invite tenant ${shop}` }, data: { count: 29 } });
    const missing = owner.call.people.resendInvitation({ id: crypto.randomUUID() });
    await expect(missing).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await owner.call.people.resendInvitation({ id });
    const refused = { code: 'TOO_MANY_REQUESTS' };
    await expect(owner.call.people.resendInvitation({ id })).rejects.toMatchObject(refused);
    await expect(invite()).rejects.toMatchObject(refused);
    expect(await harness.db.email.count({ where: { tenantId: shop } })).toBe(2);
  });

  test('is revoked when its sender may no longer invite', async () => {
    const second = await harness.createMember(shop, 'owner');
    await second.call.people.invite({ email: 'friend@example.com', role: 'owner' });
    const token = await tokenIn('friend@example.com');
    await owner.call.people.changeRole({ id: second.memberId, role: 'viewer' });
    await expect((await stranger()).account.invitation({ token })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('without a mail server is revoked when any owner who could read it is removed or demoted', async () => {
    const settings = harness.services.settings as { SMTP_URL?: string | undefined };
    settings.SMTP_URL = 'smtp://mail.example';
    const mailed = await invite('owner').finally(() => {
      settings.SMTP_URL = undefined;
    });
    const guest = await stranger();
    const lose = [
      (id: string) => owner.call.people.remove({ id }),
      (id: string) => owner.call.people.changeRole({ id, role: 'operator' }),
    ];
    for (const loseRole of lose) {
      const { token } = await invite('owner');
      const operator = await harness.createMember(shop, 'operator');
      await owner.call.people.remove({ id: operator.memberId });
      expect(await guest.account.invitation({ token }), 'operators could not read it').toBeDefined();
      await loseRole((await harness.createMember(shop, 'owner')).memberId);
      await expect(guest.account.invitation({ token })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(await guest.account.invitation({ token: mailed.token })).toBeDefined();
  });

  test('of the administrator that an owner sends again is that owner’s: who joins by it waits a day', async () => {
    const { slug, name } = await harness.db.organization.findUniqueOrThrow({ where: { id: shop } });
    const email = 'appointed@example.com';
    const tenant = { slug, name };
    const appointment = { email, tenant, password: undefined, another: true, publicUrl: '' };
    expect(await appointOwner(harness.db, appointment)).toMatchObject({ kind: 'link' });
    const [open] = await owner.call.people.invitations();
    await owner.call.people.resendInvitation({ id: open?.id ?? '' });
    await (await stranger()).account.accept({ token: await tokenIn(email), ...newcomer });
    expect(await owner.call.people.members()).toMatchObject([
      { email: owner.email },
      { email, role: 'owner', joinedBy: 'shown_link', approvesFrom: expect.any(String) },
    ]);
    expect(await harness.db.user.findUnique({ where: { email } })).toMatchObject({ emailVerified: false });
  });

  test('keeps its token out of the table and of every list', async () => {
    const { token } = await invite();
    const responses = [await owner.call.people.invitations(), await owner.call.outbox.emails({})];
    const rows = await harness.db.invitation.findMany();
    expect(JSON.stringify([responses, rows])).not.toContain(token);
  });
});

describe('a new approver', () => {
  const waitOf = async (userId: string) => {
    const [row] = await harness.db.$queryRaw<{ hours: number | null }[]>`
      SELECT round(extract(epoch FROM approves_from - clock_timestamp()) / 3600)::int AS hours
      FROM member WHERE organization_id = ${shop} AND user_id = ${userId}`;
    return row?.hours;
  };

  test('waits a day by the database’s clock: after an invitation, and after a role was raised', async () => {
    const { email, token } = await invite('owner');
    const { callerOf } = await import('../../testing/console-harness.ts');
    await callerOf('').account.accept({ token, ...newcomer });
    const joined = await harness.db.user.findUniqueOrThrow({ where: { email } });
    expect(await waitOf(joined.id)).toBe(24);

    const viewer = await harness.createMember(shop, 'viewer');
    expect(await waitOf(viewer.userId)).toBeNull();
    await owner.call.people.changeRole({ id: viewer.memberId, role: 'approver' });
    expect(await waitOf(viewer.userId)).toBe(24);
  });

  test('does not shorten the wait by a change of roles among those that approve', async () => {
    const raised = await harness.createMember(shop, 'viewer');
    await owner.call.people.changeRole({ id: raised.memberId, role: 'approver' });
    await harness.db.$executeRaw`
      UPDATE member SET approves_from = approves_from - interval '23 hours' WHERE id = ${raised.memberId}`;
    await owner.call.people.changeRole({ id: raised.memberId, role: 'owner' });
    expect(await waitOf(raised.userId)).toBe(1);
  });
});

describe('the last owner', () => {
  test('can be neither removed nor demoted, also not by themselves', async () => {
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

  test('is kept by the database against any statement: two rows at once, all at once, the account', async () => {
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

  test('is deleted only with the whole shop', async () => {
    await harness.db.organization.delete({ where: { id: shop } });
    expect(await harness.db.member.count({ where: { organizationId: shop } })).toBe(0);
  });
});

describe('people in the audit log', () => {
  test('are shown by their addresses, those who were removed and invited included', async () => {
    const member = await harness.createMember(shop, 'viewer');
    await owner.call.people.remove({ id: member.memberId });
    const { email } = await invite();
    const { entries: shown } = await owner.call.audit.list({});
    expect(shown.map(({ action, reference }) => [action, reference])).toEqual([
      ['member.invite', email],
      ['member.remove', member.email],
    ]);
  });
});

describe('API keys', () => {
  /** Resolves when this process has heard of a change. */
  const notified = (wanted: string) =>
    new Promise<void>((resolve) => {
      const onNotified = (topic: string) => topic === wanted && resolve();
      harness.services.listener.subscribe({ onNotified, onMissed: () => undefined });
    });

  test('are read once and not with every request, and written about once', async () => {
    const { apiKeys, listener, db } = harness.services;
    await listener.connected();
    const { token } = await owner.call.apiKeys.create({ name: 'Till' });
    const [reads, writes] = [vi.spyOn(db, '$queryRaw'), vi.spyOn(db, '$executeRaw')];
    for (let request = 0; request < 20; request++) await apiKeys.find(token);
    await apiKeys.flush();
    expect(reads).toHaveBeenCalledTimes(1);
    expect(writes).toHaveBeenCalledTimes(1);
    reads.mockRestore();
    writes.mockRestore();
  });

  test('that are revoked by hand in the database stop as well', async () => {
    const { apiKeys, listener, db } = harness.services;
    await listener.connected();
    const { id, token } = await owner.call.apiKeys.create({ name: 'Till' });
    await apiKeys.find(token);
    const heard = notified('api_key');
    await db.apiKey.update({ where: { id }, data: { revokedAt: new Date() } });
    await heard;
    expect(await apiKeys.find(token)).toBeUndefined();
  });

  test('are shown once, work, say when they were used, and stop when they are revoked', async () => {
    const { apiKeys, listener } = harness.services;
    await listener.connected();
    const { id, token } = await owner.call.apiKeys.create({ name: 'Till' });
    expect(await apiKeys.find(token)).toEqual({
      keyId: id,
      tenantId: shop,
      scopes: ['read', 'pay'],
    });
    await apiKeys.flush();
    const [listed] = await owner.call.apiKeys.list();
    expect(listed).toMatchObject({ id, name: 'Till', lastUsedAt: expect.any(String), revokedAt: null });
    expect(JSON.stringify(listed)).not.toContain(token);
    const heard = notified('api_key');
    await owner.call.apiKeys.revoke({ id });
    await heard;
    expect(await apiKeys.find(token)).toBeUndefined();
    await expect(owner.call.apiKeys.revoke({ id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await entries()).toEqual(['api_key.create', 'api_key.revoke']);
    const log = await harness.db.auditEntry.findMany({ where: { tenantId: shop } });
    expect(
      JSON.stringify(log, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toContain(token);
  });
});
