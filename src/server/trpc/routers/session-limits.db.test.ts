import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Prisma } from '#prisma';
import {
  type ConsoleHarness,
  callerOf,
  cookiesOf,
  isWaitedFor,
  openConsoleHarness,
  type TestPerson,
  testPassword,
} from '../../testing/console-harness.ts';
import { nextTotpOf, totpOf } from '../../testing/totp.ts';

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
  await harness.db.rateLimit.deleteMany();
});

const choice = {
  leaseMs: null,
  replayHours: null,
  bodyHours: null,
  metadataHours: null,
  idleMinutes: null,
  fourEyes: true,
  secondFactor: false,
};

const newAddress = () => `${randomUUID()}@example.com`;

/** Moves what the session knows back in time. */
async function letPass(interval: string, of = owner): Promise<void> {
  await harness.db.$executeRaw`
    UPDATE session SET active_at = active_at - ${interval}::interval,
      confirmed_at = confirmed_at - ${interval}::interval
    WHERE user_id = ${of.userId}`;
}

async function withSecondFactor(person: TestPerson) {
  const begun = await harness.post('/two-factor/enable', { password: testPassword }, person.cookie);
  const { totpURI } = (await begun.json()) as { totpURI: string };
  const secret = new URL(totpURI).searchParams.get('secret') ?? '';
  const on = await harness.post('/two-factor/verify-totp', { code: totpOf(secret) }, person.cookie);
  return { call: callerOf(cookiesOf(on)), secret };
}

describe('what would outlast a stolen session', () => {
  const needed = { code: 'PRECONDITION_REQUIRED' };
  let colleague: { memberId: string };
  let invitation: string;
  beforeEach(async () => {
    colleague = await harness.createMember(shop, 'operator');
    ({ id: invitation } = await owner.call.people.invite({ email: newAddress(), role: 'viewer' }));
    await owner.call.refunds.setLimits([{ currency: 'eur', amountMinor: 10_000 }]);
  });
  const attempts = {
    'an API key': () => owner.call.apiKeys.create({ name: 'Till' }),
    'a webhook endpoint': () =>
      owner.call.webhookEndpoints.add({ url: 'https://a.example/hooks', eventTypes: null }),
    'four eyes off': () =>
      owner.call.settings.change({ ...choice, fourEyes: false, reason: 'We are one person.' }),
    'a longer idle limit': () => owner.call.settings.change({ ...choice, idleMinutes: 481 }),
    'an invitation': () => owner.call.people.invite({ email: newAddress(), role: 'owner' }),
    'an invitation again': () => owner.call.people.resendInvitation({ id: invitation }),
    'a role': () => owner.call.people.changeRole({ id: colleague.memberId, role: 'owner' }),
    'a colleague less': () => owner.call.people.remove({ id: colleague.memberId }),
    'a higher limit for refunds': () =>
      owner.call.refunds.setLimits([{ currency: 'eur', amountMinor: 10_001 }]),
    'another contact for shoppers': () => owner.call.settings.setContact({ email: newAddress() }),
    'no limit for refunds': () => owner.call.refunds.setLimits([{ currency: 'eur', amountMinor: null }]),
  };

  test.each(Object.entries(attempts))(
    '%s: half an hour after signing in, the person proves who they are',
    async (_, attempt) => {
      await letPass('31 minutes');
      await expect(attempt()).rejects.toMatchObject(needed);
      await expect(owner.call.account.confirm({ proof: 'wrong password' })).rejects.toMatchObject({
        code: 'FORBIDDEN',
      });
      await expect(attempt()).rejects.toMatchObject(needed);
      await owner.call.account.confirm({ proof: testPassword });
      await attempt();
    },
  );

  test('nothing of it was done before that', async () => {
    await letPass('31 minutes');
    for (const attempt of Object.values(attempts)) await attempt().catch(() => undefined);
    expect(await harness.db.apiKey.count({ where: { tenantId: shop } })).toBe(0);
    expect(await harness.db.merchantWebhookEndpoint.count({ where: { tenantId: shop } })).toBe(0);
    expect(await harness.db.tenantSettings.count({ where: { tenantId: shop } })).toBe(0);
    expect(await harness.db.invitation.findMany({ where: { organizationId: shop } })).toMatchObject([
      { id: invitation, status: 'pending' },
    ]);
    const members = await harness.db.member.findMany({ where: { organizationId: shop } });
    expect(members.map(({ role }) => role).toSorted()).toEqual(['operator', 'owner']);
    expect(await owner.call.refunds.limits()).toEqual([{ currency: 'eur', amountMinor: 10_000 }]);
  });

  test.each<[string, (tx: Prisma.TransactionClient) => Promise<unknown>, () => Promise<unknown>]>([
    [
      'a limit for refunds that is lowered',
      (tx) => tx.$executeRaw`UPDATE refund_limit SET amount_minor = 100 WHERE tenant_id = ${shop}`,
      () => owner.call.refunds.setLimits([{ currency: 'eur', amountMinor: 10_000 }]),
    ],
    [
      'four eyes that are switched on',
      (tx) => tx.$executeRaw`UPDATE tenant_settings SET four_eyes = true WHERE tenant_id = ${shop}`,
      () => owner.call.settings.change({ ...choice, fourEyes: false, reason: 'We are one person.' }),
    ],
  ])('%s at the same moment is not undone without a proof', async (_, tighten, undo) => {
    await harness.db.tenantSettings.create({ data: { tenantId: shop, fourEyes: false } });
    await letPass('31 minutes');
    let undone: Promise<unknown> = Promise.resolve();
    await harness.db.$transaction(
      async (tx) => {
        await tx.$queryRaw`SELECT FROM organization WHERE id = ${shop} FOR NO KEY UPDATE`;
        await tighten(tx);
        undone = undo();
        undone.catch(() => undefined);
        await vi.waitUntil(() => isWaitedFor(harness.db, tx), { timeout: 20_000 });
      },
      { timeout: 30_000 },
    );
    await expect(undone).rejects.toMatchObject(needed);
  });

  test('guessing the password there is limited like at the sign-in', async () => {
    for (let n = 0; n < 5; n++) {
      await owner.call.account.confirm({ proof: 'wrong password' }).catch(() => undefined);
    }
    await expect(owner.call.account.confirm({ proof: testPassword })).rejects.toMatchObject({
      code: 'TOO_MANY_REQUESTS',
    });
  });

  test('right proofs are limited too: each occupies the one place where passwords are compared', async () => {
    const { passwords } = harness.auth;
    const compared = vi.spyOn(passwords, 'verify');
    const tries = Array.from({ length: 12 }, () => owner.call.account.confirm({ proof: testPassword }));
    const refused = (await Promise.allSettled(tries)).filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThanOrEqual(2);
    expect(compared.mock.calls.length).toBeLessThanOrEqual(10);
    compared.mockRestore();
    await expect(owner.call.account.confirm({ proof: testPassword })).rejects.toMatchObject({
      code: 'TOO_MANY_REQUESTS',
    });
  });

  test('with a second factor it takes a code, and the password is not enough', async () => {
    const { call, secret } = await withSecondFactor(owner);
    await letPass('31 minutes');
    await expect(call.account.confirm({ proof: testPassword })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(call.apiKeys.create({ name: 'Till' })).rejects.toMatchObject(needed);
    await call.account.confirm({ proof: nextTotpOf(secret) });
    await call.apiKeys.create({ name: 'Till' });
  });

  test('of several limits for refunds none is changed before the proof that one of them needs', async () => {
    await letPass('31 minutes');
    const changes = [
      { currency: 'usd' as const, amountMinor: 5 },
      { currency: 'eur' as const, amountMinor: 10_001 },
    ];
    await expect(owner.call.refunds.setLimits(changes)).rejects.toMatchObject(needed);
    expect(await owner.call.refunds.limits()).toEqual([{ currency: 'eur', amountMinor: 10_000 }]);
    await owner.call.account.confirm({ proof: testPassword });
    await owner.call.refunds.setLimits(changes);
    expect(await owner.call.refunds.limits()).toEqual([
      { currency: 'eur', amountMinor: 10_001 },
      { currency: 'usd', amountMinor: 5 },
    ]);
  });

  test('to turn four eyes on, to lower a limit, or to change a time, takes no proof', async () => {
    await letPass('31 minutes');
    await owner.call.refunds.setLimits([{ currency: 'eur', amountMinor: 9_999 }]);
    await owner.call.refunds.setLimits([{ currency: 'usd', amountMinor: 5 }]);
    await owner.call.settings.change({ ...choice, idleMinutes: 479 });
    const stricter = { ...choice, idleMinutes: 470, replayHours: 30 };
    expect(await owner.call.settings.change(stricter)).toMatchObject({ kind: 'changed' });
  });
});

describe('a session that is not used', () => {
  test('ends after eight hours, although an open page keeps reading', async () => {
    await letPass('7 hours 59 minutes');
    await owner.call.people.me();
    await letPass('2 minutes');
    await expect(owner.call.people.me()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await harness.db.session.count({ where: { userId: owner.userId } })).toBe(0);
  });

  test('cannot be revived with the password alone, which would leave the second factor out', async () => {
    await letPass('8 hours 1 minute');
    const change = { currentPassword: testPassword, newPassword: 'another password for tests' };
    expect((await harness.post('/change-password', change, owner.cookie)).status).toBe(401);
    expect(await harness.db.session.count({ where: { userId: owner.userId } })).toBe(0);
  });

  test('goes on while the person does something', async () => {
    for (let n = 0; n < 3; n++) {
      await letPass('7 hours');
      await owner.call.account.active();
    }
    expect(await owner.call.people.me()).toMatchObject({ email: owner.email });
  });

  test('ends sooner where the shop says so, and the shortest limit of several shops applies', async () => {
    expect(await owner.call.settings.change({ ...choice, idleMinutes: 4 })).toMatchObject({
      kind: 'refused',
      problems: [{ field: 'idleMinutes' }],
    });
    await owner.call.settings.change({ ...choice, idleMinutes: 15 });
    const both = await harness.createMember(await harness.openShop(`other-${shops}`), 'viewer');
    await harness.db.member.create({
      data: { id: `${both.memberId}-2`, organizationId: shop, userId: both.userId, role: 'viewer' },
    });
    await letPass('16 minutes', both);
    await expect(both.call.people.me()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });
});

describe('a session that is used', () => {
  test('ends a month after the sign-in, at the endpoints of better-auth too', async () => {
    const age = (interval: string) => harness.db.$executeRaw`
      UPDATE session SET created_at = clock_timestamp() - ${interval}::interval WHERE user_id = ${owner.userId}`;
    await age('29 days 23 hours');
    expect(await owner.call.account.me()).toMatchObject({ userId: owner.userId });
    await age('30 days 1 second');
    const body = { currentPassword: testPassword, newPassword: 'another password' };
    expect((await harness.post('/change-password', body, owner.cookie)).status).toBe(401);
    await expect(owner.call.account.me()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await harness.db.session.count({ where: { userId: owner.userId } })).toBe(0);
  });
});

describe('a shop that asks for a second factor', () => {
  async function askFor() {
    const boss = await withSecondFactor(owner);
    expect(await boss.call.settings.change({ ...choice, secondFactor: true })).toMatchObject({
      kind: 'changed',
    });
    return boss;
  }

  test('is closed to members without one, and open once they have it', async () => {
    const viewer = await harness.createMember(shop, 'viewer');
    await askFor();
    await expect(viewer.call.people.members()).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(viewer.call.operations.list({})).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await viewer.call.account.me()).toMatchObject({ secondFactor: false });
    const { call } = await withSecondFactor(viewer);
    expect(await call.people.members()).toHaveLength(2);
  });

  test('is left out of what a member reads over all their shops', async () => {
    const both = await harness.createMember(await harness.openShop(`open-${shops}`), 'viewer');
    await harness.db.member.create({
      data: { id: `${both.memberId}-2`, organizationId: shop, userId: both.userId, role: 'viewer' },
    });
    await askFor();
    const { shops: readable } = await both.call.people.me();
    expect(readable.map(({ tenantId }) => tenantId)).not.toContain(shop);
  });

  test('cannot be made by an owner who has none, and to stop asking takes a fresh proof', async () => {
    expect(await owner.call.settings.change({ ...choice, secondFactor: true })).toMatchObject({
      kind: 'refused',
      problems: [{ field: 'secondFactor' }],
    });
    const { call } = await askFor();
    await letPass('31 minutes');
    await expect(call.settings.change(choice)).rejects.toMatchObject({ code: 'PRECONDITION_REQUIRED' });
  });
});

test('how fresh a session is, is counted by the clock of the database, where that of the process is ahead', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 7_200_000 });
  try {
    await harness.signIn(owner.userId);
  } finally {
    vi.useRealTimers();
  }
  const [{ later }] = await harness.db.$queryRaw<[{ later: number }]>`
    SELECT count(*)::int AS later FROM session
    WHERE user_id = ${owner.userId} AND greatest(active_at, confirmed_at) > clock_timestamp()`;
  expect(later).toBe(0);
});
