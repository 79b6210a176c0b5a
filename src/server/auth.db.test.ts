import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  type ConsoleHarness,
  callerOf,
  cookiesOf,
  openConsoleHarness,
  testPassword,
} from '#server/testing/console-harness.ts';
import { markCodeUsed } from './auth/used-codes.ts';
import { createRateLimitStorage } from './rate-limit.ts';
import { nextTotpOf, totpOf } from './testing/totp.ts';

let harness: ConsoleHarness;
beforeAll(async () => {
  harness = await openConsoleHarness();
});
afterAll(() => harness.close());

const signIn = (email: string, password = testPassword, cookie = '') =>
  harness.post('/sign-in/email', { email, password }, cookie);
/** All requests here come from one address. Its limit is reset, so that only the limits per account apply. */
const forgetAddress = () => harness.db.rateLimit.deleteMany();
const secretOf = (uri: string) => new URL(uri).searchParams.get('secret') ?? '';

describe('the cookie', () => {
  test('is HttpOnly and SameSite=Lax, and Secure on https', async () => {
    const { email } = await harness.createPerson();
    const [cookie = ''] = (await signIn(email)).headers.getSetCookie();
    expect(cookie).toMatch(/HttpOnly/i);
    expect(cookie).toMatch(/SameSite=Lax/i);
    expect(cookie).not.toMatch(/Secure/i);
    const { createAuth } = await import('./auth.ts');
    const auth = createAuth(harness.db, {
      secret: harness.services.settings.AUTH_SECRET,
      publicUrl: 'https://shop.example',
    });
    // This one hashes for real.
    const password = await auth.passwords.hash(testPassword);
    await harness.db.account.updateMany({ where: { user: { email } }, data: { password } });
    const response = await auth.api.signInEmail({
      body: { email, password: testPassword },
      asResponse: true,
    });
    expect(response.headers.getSetCookie()[0]).toMatch(/^__Secure-.*Secure/);
  });

  test('of every step has the same flags, and none is for other hosts', async () => {
    await forgetAddress();
    const person = await harness.createPerson();
    const begun = await harness.post('/two-factor/enable', { password: testPassword }, person.cookie);
    const { totpURI } = (await begun.json()) as { totpURI: string };
    const secret = secretOf(totpURI);
    const on = await harness.post('/two-factor/verify-totp', { code: totpOf(secret) }, person.cookie);
    const half = await signIn(person.email);
    const code = nextTotpOf(secret);
    const whole = await harness.post('/two-factor/verify-totp', { code, trustDevice: true }, cookiesOf(half));
    const out = await harness.post('/sign-out', {}, cookiesOf(whole));
    const set = [on, half, whole, out].flatMap((response) => response.headers.getSetCookie());
    const names = new Set(set.map((cookie) => cookie.split('=')[0]?.split('.')[1]));
    expect([...names]).toEqual(
      expect.arrayContaining(['session_token', 'two_factor', 'trust_device', 'device']),
    );
    for (const cookie of set) {
      expect(cookie).toMatch(/; HttpOnly/i);
      expect(cookie).toMatch(/; SameSite=Lax/i);
      expect(cookie).toMatch(/; Path=\//);
      expect(cookie).not.toMatch(/; Domain=/i);
    }
  });
});

describe('whether an account exists', () => {
  test('does not show in the work: one password is hashed for each sign-in, with and without an account', async () => {
    await forgetAddress();
    const { email } = await harness.createPerson();
    const { passwords } = harness.auth;
    const withoutPassword = 'invited@example.com';
    await harness.db.user.create({ data: { id: withoutPassword, email: withoutPassword, name: 'Ada' } });
    const [hash, verify] = [vi.spyOn(passwords, 'hash'), vi.spyOn(passwords, 'verify')];
    const answers: unknown[] = [];
    for (const who of [email, 'stranger-2@example.com', withoutPassword]) {
      const before = hash.mock.calls.length + verify.mock.calls.length;
      const refused = await signIn(who, 'wrong password');
      expect(hash.mock.calls.length + verify.mock.calls.length - before, who).toBe(1);
      answers.push([refused.status, await refused.json(), refused.headers.getSetCookie()]);
    }
    hash.mockRestore();
    verify.mockRestore();
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });
});

describe('wrong passwords', () => {
  test('lock an account that exists and one that does not in the same way, also for the right password', async () => {
    const { email } = await harness.createPerson();
    const stranger = 'stranger@example.com';
    for (const who of [email, stranger]) {
      await forgetAddress();
      for (let n = 0; n < 5; n++) expect((await signIn(who, 'wrong password')).status).toBe(401);
    }
    await forgetAddress();
    const [locked, same] = [await signIn(email), await signIn(stranger)];
    expect([locked.status, same.status]).toEqual([429, 429]);
    const [one, other] = [await locked.json(), await same.json()];
    expect(one).toMatchObject({ code: 'ACCOUNT_LOCKED', retryAfterSeconds: expect.any(Number) });
    expect({ ...other, retryAfterSeconds: 0 }).toEqual({ ...one, retryAfterSeconds: 0 });
    expect(cookiesOf(locked)).not.toContain('session_token');
  });

  test('the right password in between resets the count', async () => {
    const { email } = await harness.createPerson();
    for (let round = 0; round < 2; round++) {
      await forgetAddress();
      for (let n = 0; n < 4; n++) await signIn(email, 'wrong password');
      expect((await signIn(email)).status).toBe(200);
    }
  });

  test('count also when they are sent with a session', async () => {
    const { email, cookie } = await harness.createPerson();
    for (let n = 0; n < 5; n++) {
      await forgetAddress();
      const body = { currentPassword: 'wrong password', newPassword: 'another password' };
      expect((await harness.post('/change-password', body, cookie)).status).toBe(400);
    }
    await forgetAddress();
    expect((await signIn(email)).status).toBe(429);
  });

  test('from one address are limited for all accounts together', async () => {
    const { consume } = createRateLimitStorage(harness.db);
    const rule = { window: 60, max: 30 };
    const many = () =>
      Promise.all(Array.from({ length: 35 }, () => consume('203.0.113.7|/sign-in/email', rule)));
    expect((await many()).filter(({ allowed }) => allowed)).toHaveLength(30);
    const refused = await consume('203.0.113.7|/sign-in/email', rule);
    expect(refused.retryAfter).toBeGreaterThan(50);
    // Moves the beginning of the window a minute back.
    await harness.db.$executeRaw`UPDATE rate_limit SET last_request = last_request - 60000`;
    expect((await many()).filter(({ allowed }) => allowed)).toHaveLength(30);
    await forgetAddress();
  });

  test('are not held up for longer than two windows after the database’s clock was set back', async () => {
    const { consume } = createRateLimitStorage(harness.db);
    const rule = { window: 60, max: 1 };
    const again = () => consume('203.0.113.8|/sign-in/email', rule);
    await again();
    for (const setBackMs of [61_000, 40 * 86_400_000]) {
      await harness.db.$executeRaw`UPDATE rate_limit SET last_request = last_request + ${setBackMs}::bigint`;
      expect(await again()).toEqual({ allowed: true, retryAfter: null });
      expect(await again()).toMatchObject({ allowed: false });
    }
    await forgetAddress();
  });

  test('the limit applies to every endpoint', async () => {
    for (const path of ['/sign-in/email', '/two-factor/verify-totp']) {
      // Without a password nothing is hashed; requests are counted before their body is read.
      const responses = await Promise.all(
        Array.from({ length: 33 }, (_, n) => harness.post(path, { email: `attempt-${n}@example.com` })),
      );
      expect(responses.filter(({ status }) => status === 429)).toHaveLength(3);
    }
    await forgetAddress();
  });
});

describe('the second factor', () => {
  async function withSecondFactor() {
    await forgetAddress();
    const person = await harness.createPerson();
    const begun = await harness.post('/two-factor/enable', { password: testPassword }, person.cookie);
    const { totpURI, backupCodes } = (await begun.json()) as { totpURI: string; backupCodes: string[] };
    const code = totpOf(secretOf(totpURI));
    const on = await harness.post('/two-factor/verify-totp', { code }, person.cookie);
    expect(on.status).toBe(200);
    return {
      ...person,
      cookie: cookiesOf(on),
      used: code,
      fresh: nextTotpOf(secretOf(totpURI)),
      backupCodes,
    };
  }

  test('when it is on, a password alone gives no session; the code does', async () => {
    const { email, fresh } = await withSecondFactor();
    const half = await signIn(email);
    expect(await half.json()).toMatchObject({ twoFactorRedirect: true });
    await expect(callerOf(cookiesOf(half)).account.me()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    const whole = await harness.post('/two-factor/verify-totp', { code: fresh }, cookiesOf(half));
    expect(await callerOf(cookiesOf(whole)).account.me()).toMatchObject({ email, secondFactor: true });
  });

  test('when it is turned on, the sessions from before it end: they have proved a password only', async () => {
    await forgetAddress();
    const person = await harness.createPerson();
    const stolen = await harness.signIn(person.userId);
    const begun = await harness.post('/two-factor/enable', { password: testPassword }, person.cookie);
    expect(await stolen.call.account.me(), 'not on yet').toMatchObject({ secondFactor: false });
    const code = totpOf(secretOf(((await begun.json()) as { totpURI: string }).totpURI));
    const on = await harness.post('/two-factor/verify-totp', { code }, person.cookie);
    await expect(stolen.call.account.me()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await callerOf(cookiesOf(on)).account.me()).toMatchObject({ secondFactor: true });
  });

  test('a code works once, also while it is still valid, and so does the code that turned the factor on', async () => {
    const { email, used, fresh } = await withSecondFactor();
    const use = async (code: string) =>
      (await harness.post('/two-factor/verify-totp', { code }, cookiesOf(await signIn(email)))).status;
    expect(await use(used)).toBe(401);
    const atOnce = await Promise.all([use(fresh), use(fresh), use(fresh)]);
    expect(atOnce.toSorted()).toEqual([200, 401, 401]);
    expect(JSON.stringify(await harness.db.usedCode.findMany())).not.toContain(fresh);
  });

  test('used codes are deleted when they can no longer be valid', async () => {
    await harness.db.$executeRaw`UPDATE used_code SET used_at = used_at - interval '121 seconds'`;
    const { userId, used } = await withSecondFactor();
    expect(await harness.db.usedCode.count()).toBe(1);
    await harness.db.$executeRaw`UPDATE used_code SET used_at = used_at - interval '121 seconds'`;
    expect(await markCodeUsed(harness.db, userId, used)).toBe(true);
  });

  test('a backup code works once, also for three at the same moment', async () => {
    const { email, backupCodes } = await withSecondFactor();
    const [code] = backupCodes;
    const use = async () =>
      (await harness.post('/two-factor/verify-backup-code', { code }, cookiesOf(await signIn(email)))).status;
    expect((await Promise.all([use(), use(), use()])).toSorted()).toEqual([200, 401, 401]);
    await harness.db.usedCode.deleteMany();
    expect(await use()).toBe(401);
  });

  test('wrong codes lock it, also when they are spread over several sign-ins', async () => {
    const { email, fresh } = await withSecondFactor();
    for (let n = 0; n < 5; n++) {
      await forgetAddress();
      const half = cookiesOf(await signIn(email));
      expect((await harness.post('/two-factor/verify-totp', { code: '000000' }, half)).status).toBe(401);
    }
    await forgetAddress();
    const half = cookiesOf(await signIn(email));
    const locked = await harness.post('/two-factor/verify-totp', { code: fresh }, half);
    expect(locked.status).toBe(429);
    expect(await locked.json()).toMatchObject({ code: 'ACCOUNT_LOCKED' });
  });

  const taking: [string, object][] = [
    ['/two-factor/disable', { password: testPassword }],
    ['/two-factor/generate-backup-codes', { password: testPassword }],
    ['/change-password', { currentPassword: testPassword, newPassword: 'chosen by a thief' }],
  ];
  test.each(taking)('%s takes a code as well as the session and the password', async (path, body) => {
    const { userId, cookie, used, fresh } = await withSecondFactor();
    const state = async () => ({
      factor: await harness.db.twoFactor.findFirst({ where: { userId } }),
      account: await harness.db.account.findFirst({ where: { userId } }),
    });
    const before = await state();
    const send = async (more: object) => {
      await forgetAddress();
      const response = await harness.post(path, { ...body, ...more }, cookie);
      return [response.status, ((await response.json()) as { code?: string }).code];
    };
    expect(await send({})).toEqual([403, 'CODE_NEEDED']);
    expect(await send({ code: { $ne: '' } })).toEqual([403, 'CODE_NEEDED']);
    expect(await send({ code: '000000' })).toEqual([401, 'INVALID_CODE']);
    expect(await send({ code: used }), 'a code that was used').toEqual([401, 'INVALID_CODE']);
    expect(await send({ code: 'AAAAA-AAAAA' })).toEqual([401, 'INVALID_BACKUP_CODE']);
    expect(await state()).toEqual(before);
    await harness.db.signInLock.deleteMany();
    const wrong = { password: 'wrong password', currentPassword: 'wrong password', code: fresh };
    expect(await send(wrong)).toEqual([400, 'INVALID_PASSWORD']);
    expect((await send({ code: fresh }))[0], 'the wrong password used up no code').toBe(200);
    expect(await state()).not.toEqual(before);
  });

  test('wrong codes for that are counted, and lock', async () => {
    const { cookie, fresh } = await withSecondFactor();
    const disable = (code: string) =>
      harness.post('/two-factor/disable', { password: testPassword, code }, cookie);
    for (let n = 0; n < 5; n++) expect((await disable(`00000${n}`)).status).toBe(401);
    expect((await disable(fresh)).status).toBe(429);
  });

  test('new backup codes end the old ones', async () => {
    const { email, cookie, fresh, backupCodes } = await withSecondFactor();
    const body = { password: testPassword, code: fresh };
    const made = await harness.post('/two-factor/generate-backup-codes', body, cookie);
    const { backupCodes: again } = (await made.json()) as { backupCodes: string[] };
    const use = async (code: string | undefined) => {
      const half = cookiesOf(await signIn(email));
      return (await harness.post('/two-factor/verify-backup-code', { code }, half)).status;
    };
    expect(await use(backupCodes[0])).toBe(401);
    expect(await use(again[0])).toBe(200);
  });

  test('a backup code turns it off as well, for a person who has lost the app', async () => {
    const { cookie, backupCodes } = await withSecondFactor();
    const body = { password: testPassword, code: backupCodes[3] };
    expect((await harness.post('/two-factor/disable', body, cookie)).status).toBe(200);
  });

  test('a wrong code in a session is in the audit log; a right one is no entry', async () => {
    const shop = await harness.openShop('guessed-codes');
    const { userId, cookie, fresh } = await withSecondFactor();
    await harness.db.member.create({ data: { id: shop, organizationId: shop, userId, role: 'owner' } });
    const { account } = callerOf(cookie);
    await expect(account.confirm({ proof: '000000' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await account.confirm({ proof: fresh });
    expect(await harness.db.auditEntry.findMany({ where: { tenantId: shop } })).toMatchObject([
      { action: 'account.proof_failed', details: { factor: 'second_factor' } },
    ]);
  });

  test('turning it on and off, new backup codes and a new password are in the audit log of every shop of that person', async () => {
    const [acme, globex] = [await harness.openShop('acme'), await harness.openShop('globex')];
    const { userId, cookie, fresh, backupCodes } = await withSecondFactor();
    for (const organizationId of [acme, globex]) {
      await harness.db.member.create({
        data: { id: `${organizationId}-m`, organizationId, userId, role: 'viewer' },
      });
    }
    const codes = { password: testPassword, code: backupCodes[0] };
    expect((await harness.post('/two-factor/generate-backup-codes', codes, cookie)).status).toBe(200);
    const off = await harness.post('/two-factor/disable', { password: testPassword, code: fresh }, cookie);
    expect(off.status).toBe(200);
    await harness.post(
      '/change-password',
      { currentPassword: testPassword, newPassword: 'a new password for tests', revokeOtherSessions: true },
      cookiesOf(off),
    );
    for (const tenantId of [acme, globex]) {
      const entries = await harness.db.auditEntry.findMany({ where: { tenantId }, orderBy: { id: 'asc' } });
      expect(entries.map(({ action }) => action)).toEqual([
        'account.backup_codes',
        'account.second_factor_off',
        'account.change_password',
      ]);
    }
  });
});

describe('wrong proofs in a session, which may be a stolen one', () => {
  test('are in the audit log with the address they came from, and so is the lock', async () => {
    const shop = await harness.openShop('guessed');
    const { cookie, call, email } = await harness.createMember(shop, 'owner');
    const entries = async () =>
      (await harness.db.auditEntry.findMany({ where: { tenantId: shop }, orderBy: { id: 'asc' } })).map(
        ({ action, actorEmail, details }) => ({ action, actorEmail, details }),
      );
    const failed = {
      action: 'account.proof_failed',
      actorEmail: 'not signed in',
      details: { email, factor: 'password', address: '198.51.100.7' },
    };
    const tried = { currentPassword: 'wrong password', newPassword: 'another password' };
    expect((await harness.post('/change-password', tried, cookie, '198.51.100.7')).status).toBe(400);
    expect(await entries()).toEqual([failed]);
    const guess = () => call.account.confirm({ proof: 'wrong password' });
    await expect(guess()).rejects.toMatchObject({ code: 'FORBIDDEN' });
    // As after four wrong tries: comparing a password is slow on purpose.
    await harness.db.signInLock.updateMany({ data: { attempts: 4 } });
    await expect(guess()).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect((await entries()).map(({ action }) => action)).toEqual([
      ...Array(3).fill('account.proof_failed'),
      'account.locked',
    ]);
  });
});

describe('the other endpoints of better-auth', () => {
  test('respond with 404, for an owner too', async () => {
    const shop = await harness.openShop('initech');
    const owner = await harness.createMember(shop, 'owner');
    const used =
      /^\/(sign-in\/email|sign-out|change-password|two-factor\/(enable|disable|verify-totp|verify-backup-code|generate-backup-codes))$/;
    const offered = Object.values(harness.auth.api)
      .map((endpoint) => (endpoint as { path?: string }).path)
      .filter((path): path is string => typeof path === 'string');
    expect(offered).toContain('/update-user');
    const organization = [
      'create',
      'update',
      'delete',
      'invite-member',
      'accept-invitation',
      'cancel-invitation',
    ];
    const more = ['update-member-role', 'remove-member', 'add-member', 'leave', 'set-active', 'list-members'];
    const tried = [
      ...offered,
      ...[...organization, ...more].map((name) => `/organization/${name}`),
      '/sign-up/email',
    ];
    for (const path of tried.filter((candidate) => !used.test(candidate))) {
      for (const method of ['GET', 'POST']) {
        const response = await harness.auth.handler(
          new Request(`http://127.0.0.1:3000/api/auth${path}`, {
            method,
            headers: {
              cookie: owner.cookie,
              'content-type': 'application/json',
              origin: 'http://127.0.0.1:3000',
            },
            ...(method === 'POST' && { body: '{}' }),
          }),
        );
        expect(`${method} ${path}: ${response.status}`).toBe(`${method} ${path}: 404`);
      }
    }
  });
});

describe('sessions', () => {
  test('are listed without their tokens, and can be ended one by one or all but this one', async () => {
    const person = await harness.createPerson();
    const [second, third] = [await harness.signIn(person.userId), await harness.signIn(person.userId)];
    const list = await person.call.account.sessions();
    expect(list.filter(({ current }) => current)).toHaveLength(1);
    expect(list).toHaveLength(3);
    expect(JSON.stringify(list)).not.toContain('token');
    const mine = (await second.call.account.sessions()).find(({ current }) => current);
    await person.call.account.endSession({ id: mine?.id ?? '' });
    await expect(second.call.account.me()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await person.call.account.endOtherSessions()).toEqual({ ended: 1 });
    await expect(third.call.account.me()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await person.call.account.me()).toMatchObject({ email: person.email });
  });

  test('of another person cannot be ended', async () => {
    const [one, other] = [await harness.createPerson(), await harness.createPerson()];
    const [theirs] = await other.call.account.sessions();
    await expect(one.call.account.endSession({ id: theirs?.id ?? '' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await other.call.account.sessions()).toHaveLength(1);
  });
});
