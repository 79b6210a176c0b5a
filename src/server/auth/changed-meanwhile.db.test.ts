import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import {
  type ConsoleHarness,
  callerOf,
  cookiesOf,
  openConsoleHarness,
  type TestPerson,
  testPassword,
} from '#server/testing/console-harness.ts';
import { totpOf } from '#server/testing/totp.ts';
import { appointOwner } from './appoint-owner.ts';

const newPassword = 'a new password for tests';

let harness: ConsoleHarness;
let slug: string;
let member: TestPerson;
let shops = 0;
beforeAll(async () => {
  harness = await openConsoleHarness();
});
afterAll(() => harness.close());
beforeEach(async () => {
  slug = `shop-${++shops}`;
  member = await harness.createMember(await harness.openShop(slug), 'owner');
  await harness.db.rateLimit.deleteMany();
});
afterEach(() => vi.restoreAllMocks());

const signIn = (cookie = '') =>
  harness.post('/sign-in/email', { email: member.email, password: testPassword }, cookie);

/** The password of the next sign-in has been compared, and it has not gone on yet. */
function whileComparing(act: () => Promise<unknown>): void {
  const { passwords } = harness.auth;
  const { verify } = passwords;
  vi.spyOn(passwords, 'verify').mockImplementationOnce(async (tried) => {
    const isRight = await verify(tried);
    await act();
    return isRight;
  });
}

async function turnOnSecondFactor() {
  const begun = await harness.post('/two-factor/enable', { password: testPassword }, member.cookie);
  const { totpURI, backupCodes } = (await begun.json()) as { totpURI: string; backupCodes: string[] };
  const code = totpOf(new URL(totpURI).searchParams.get('secret') ?? '');
  const on = await harness.post('/two-factor/verify-totp', { code }, member.cookie);
  expect(on.status).toBe(200);
  return { cookie: cookiesOf(on), backupCodes };
}

const changes: Record<string, () => Promise<unknown>> = {
  'is changed': () =>
    harness.post('/change-password', { currentPassword: testPassword, newPassword }, member.cookie),
  'is reset by the administrator': () =>
    appointOwner(harness.db, {
      email: member.email,
      tenant: { slug, name: undefined },
      password: newPassword,
      another: true,
      publicUrl: 'http://127.0.0.1:3000',
    }),
  'gets a second factor beside it': turnOnSecondFactor,
};

test.each(Object.entries(changes))(
  'a sign-in with a password that %s meanwhile leaves no session',
  async (_, change) => {
    whileComparing(change);
    const response = await signIn();
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'CREDENTIALS_CHANGED' });
    await expect(callerOf(cookiesOf(response)).account.me()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    const sessions = await harness.db.session.count({ where: { userId: member.userId } });
    expect(sessions).toBeLessThanOrEqual(1);
  },
);

test('a sign-in that waits for its code ends with a new password', async () => {
  const { cookie, backupCodes } = await turnOnSecondFactor();
  const [code, stolen] = backupCodes;
  const half = cookiesOf(await signIn());
  const changed = await harness.post(
    '/change-password',
    { currentPassword: testPassword, newPassword, code },
    cookie,
  );
  expect(changed.status).toBe(200);
  const finished = await harness.post('/two-factor/verify-backup-code', { code: stolen }, half);
  expect(finished.status).toBe(401);
});
