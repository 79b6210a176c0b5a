import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type ConsoleHarness,
  callerOf,
  cookiesOf,
  openConsoleHarness,
  type TestPerson,
  testPassword,
} from '#server/testing/console-harness.ts';
import { nextTotpOf, totpOf } from '#server/testing/totp.ts';

let harness: ConsoleHarness;
let shop: string;
let member: TestPerson;
let shops = 0;
beforeAll(async () => {
  harness = await openConsoleHarness();
});
afterAll(() => harness.close());
beforeEach(async () => {
  shop = await harness.openShop(`shop-${++shops}`);
  member = await harness.createMember(shop, 'operator');
  await harness.db.rateLimit.deleteMany();
});

const home = '198.51.100.4';
const stranger = '203.0.113.9';
const newPassword = 'a new password for tests';

function signIn(from: { address: string; cookie?: string; password?: string }): Promise<Response> {
  const body = { email: member.email, password: from.password ?? testPassword };
  return harness.post('/sign-in/email', body, from.cookie, from.address);
}

async function trail() {
  const rows = await harness.db.auditEntry.findMany({
    where: { tenantId: shop, action: { startsWith: 'account.' } },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ action, actorEmail, subjectId, details }) => ({
    action,
    actorEmail,
    subjectId,
    details,
  }));
}

/** With a second factor, and a browser that was trusted to skip it. */
async function trustedBrowser() {
  const begun = await harness.post('/two-factor/enable', { password: testPassword }, member.cookie, home);
  const { totpURI, backupCodes } = (await begun.json()) as { totpURI: string; backupCodes: string[] };
  const secret = new URL(totpURI).searchParams.get('secret') ?? '';
  const on = await harness.post('/two-factor/verify-totp', { code: totpOf(secret) }, member.cookie, home);
  const half = cookiesOf(await signIn({ address: home }));
  const whole = await harness.post(
    '/two-factor/verify-totp',
    { code: nextTotpOf(secret), trustDevice: true },
    half,
    home,
  );
  expect(whole.status).toBe(200);
  return { session: cookiesOf(on), trusted: cookiesOf(whole), code: backupCodes[0] };
}

async function skipsSecondFactor(cookie: string, password: string): Promise<boolean> {
  const response = await signIn({ address: home, cookie, password });
  expect(response.status).toBe(200);
  return !('twoFactorRedirect' in ((await response.json()) as object));
}

describe('a browser that is trusted to skip the second factor', () => {
  test('is trusted no longer after a new password, and other sessions end without being asked to', async () => {
    const { session, trusted, code } = await trustedBrowser();
    const change = { currentPassword: testPassword, newPassword, code, revokeOtherSessions: false };
    expect((await harness.post('/change-password', change, session, home)).status).toBe(200);
    expect(await skipsSecondFactor(trusted, newPassword)).toBe(false);
    expect(await harness.db.session.count({ where: { userId: member.userId } })).toBe(1);
    expect(await harness.db.knownDevice.count({ where: { userId: member.userId } })).toBe(0);
  });

  test('is trusted no longer after the second factor was turned off', async () => {
    const { session, code } = await trustedBrowser();
    const trusts = () =>
      harness.db.verification.count({
        where: { value: member.userId, identifier: { startsWith: 'trust-device-' } },
      });
    expect(await trusts()).toBe(1);
    expect(
      (await harness.post('/two-factor/disable', { password: testPassword, code }, session, home)).status,
    ).toBe(200);
    expect(await trusts()).toBe(0);
  });

  test('has not proved enough for what takes a fresh proof: that takes a code', async () => {
    const { trusted } = await trustedBrowser();
    const owner = { organizationId: shop, userId: member.userId };
    await harness.db.member.update({ where: { organizationId_userId: owner }, data: { role: 'owner' } });
    const create = (cookie: string) => callerOf(cookie).apiKeys.create({ name: 'for an accomplice' });
    expect(await create(trusted), 'a code was typed there').toBeDefined();
    const again = await signIn({ address: home, cookie: trusted });
    expect(await again.json()).not.toHaveProperty('twoFactorRedirect');
    await expect(create(cookiesOf(again))).rejects.toMatchObject({ code: 'PRECONDITION_REQUIRED' });
  });
});

describe('wrong tries of a stranger', () => {
  test('lock the stranger out, and neither a known browser nor another network', async () => {
    const known = cookiesOf(await signIn({ address: home }));
    for (let n = 0; n < 6; n++) await signIn({ address: stranger, password: 'wrong password' });
    expect((await signIn({ address: stranger })).status).toBe(429);
    expect((await signIn({ address: stranger, cookie: known })).status).toBe(200);
    expect((await signIn({ address: home })).status).toBe(200);
  });

  test('are not hidden behind a made-up cookie', async () => {
    const known = cookiesOf(await signIn({ address: home }));
    // Another one for each try: a count of its own for each would be no limit.
    const forged = (n: number) => known.replace(/device=[^.;]+/, `device=made-up-${n}`);
    expect(forged(0)).toContain('device=made-up-0');
    for (let n = 0; n < 5; n++)
      await signIn({ address: stranger, cookie: forged(n), password: 'wrong password' });
    expect((await signIn({ address: stranger, cookie: forged(5) })).status).toBe(429);
  });
});

describe('the audit log', () => {
  test('has every sign-in, failed sign-in and lock, with the person and the address', async () => {
    for (let n = 0; n < 5; n++) await signIn({ address: stranger, password: 'wrong password' });
    await signIn({ address: home });
    const failed = {
      action: 'account.sign_in_failed',
      actorEmail: 'not signed in',
      subjectId: member.userId,
      details: { email: member.email, factor: 'password', address: stranger },
    };
    expect(await trail()).toEqual([
      ...Array(5).fill(failed),
      {
        ...failed,
        action: 'account.locked',
        details: { ...failed.details, seconds: expect.any(Number) },
      },
      {
        action: 'account.sign_in',
        actorEmail: member.email,
        subjectId: member.userId,
        details: { email: member.email, address: home, userAgent: null },
      },
    ]);
  });

  test('has a wrong code, and a sign-in once the right one was entered, not before', async () => {
    await trustedBrowser();
    const half = cookiesOf(await signIn({ address: stranger }));
    await harness.post('/two-factor/verify-totp', { code: '000000' }, half, stranger);
    expect((await trail()).map(({ action }) => action)).toEqual([
      'account.second_factor_on',
      'account.sign_in',
      'account.sign_in_failed',
    ]);
  });

  test('of refused tries during a lock has none: it cannot be filled on purpose', async () => {
    for (let n = 0; n < 12; n++) await signIn({ address: stranger, password: 'wrong password' });
    expect(await trail()).toHaveLength(6);
  });

  test('can be changed by no statement', async () => {
    await signIn({ address: home });
    await expect(harness.db.auditEntry.deleteMany({ where: { tenantId: shop } })).rejects.toThrow();
  });
});
