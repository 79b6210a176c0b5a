import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createTenantPolicy } from '#console/settings/tenant-policy.ts';
import { operationRefOf, reap } from '#idempotency/index.ts';
import { createPaymentKind, paymentProblems } from '#payments/index.ts';
import { untilNotAllowed } from '#server/live/still-allowed.ts';
import { type ConsoleHarness, openConsoleHarness, type TestPerson } from '../../testing/console-harness.ts';

const operation = createPaymentKind.definition;
let harness: ConsoleHarness;
let shop: string;
let owner: TestPerson;
beforeAll(async () => {
  harness = await openConsoleHarness({ PROVIDER_TIMEOUT_MS: '5000', LEASE_MS: '30000' });
  shop = await harness.openShop('acme');
  owner = await harness.createMember(shop, 'owner');
});
afterAll(() => harness.close());

const defaults = {
  leaseMs: null,
  replayHours: null,
  bodyHours: null,
  metadataHours: null,
  idleMinutes: null,
  fourEyes: true,
  secondFactor: false,
};
const change = (choice: Partial<typeof defaults | Record<string, number>>, reason?: string) =>
  owner.call.settings.change({ ...defaults, ...choice, ...(reason && { reason }) } as never);

describe('changing settings', () => {
  test('invalid values are refused with a message for each field, and nothing is written', async () => {
    const cases = [
      [{ leaseMs: 10_999 }, 'leaseMs'],
      [{ leaseMs: 600_001 }, 'leaseMs'],
      [{ replayHours: 0 }, 'replayHours'],
      [{ bodyHours: 25 }, 'bodyHours'],
      [{ replayHours: 24 * 91 }, 'metadataHours'],
      [{ metadataHours: 12 }, 'metadataHours'],
    ] as const;
    for (const [choice, field] of cases) {
      const result = await change(choice);
      expect(result, JSON.stringify(choice)).toMatchObject({ kind: 'refused' });
      const fields = result.kind === 'refused' ? result.problems.map((problem) => problem.field) : [];
      expect(fields).toContain(field);
    }
    expect(await harness.db.tenantSettings.count()).toBe(0);
  });

  test('turning four eyes off requires a reason, which is in the audit log', async () => {
    expect(await change({ fourEyes: false as never })).toMatchObject({
      kind: 'refused',
      problems: [{ field: 'reason' }],
    });
    expect(await change({ fourEyes: false as never }, 'We are one person.')).toMatchObject({
      kind: 'changed',
    });
    expect(await change({ fourEyes: false as never })).toEqual({ kind: 'unchanged' });
    expect(await change({ leaseMs: 20_000 })).toMatchObject({ kind: 'changed' });
    const log = await harness.db.auditEntry.findMany({
      where: { action: 'settings.change' },
      orderBy: { id: 'asc' },
    });
    expect(log.map(({ reason, details }) => [reason, details])).toEqual([
      ['We are one person.', { fourEyes: { from: true, to: false } }],
      [null, { fourEyes: { from: false, to: true }, leaseMs: { from: null, to: 20_000 } }],
    ]);
    expect(await owner.call.settings.get()).toMatchObject({
      choice: { ...defaults, leaseMs: 20_000 },
      limits: { leaseMs: { fallback: 30_000, min: 11_000 }, replayHours: { fallback: 24 } },
      updatedBy: owner.email,
    });
  });
});

describe('a page that another owner’s change has outdated', () => {
  test('saves nothing: it would undo that change without its owner having seen it', async () => {
    const { updatedAt: seen } = await owner.call.settings.get();
    const second = await harness.createMember(shop, 'owner');
    const saved = await second.call.settings.change({ ...defaults, idleMinutes: 15 });
    expect(saved).toMatchObject({ kind: 'changed' });
    const stale = { ...defaults, replayHours: 30, seen };
    expect(await owner.call.settings.change(stale)).toEqual({ kind: 'outdated' });
    const { choice, updatedAt } = await owner.call.settings.get();
    expect(choice).toMatchObject({ idleMinutes: 15, replayHours: null });
    const fresh = { ...choice, replayHours: 30, seen: updatedAt };
    expect(await owner.call.settings.change(fresh)).toMatchObject({ kind: 'changed' });
    await owner.call.settings.change(defaults);
  });

  test('changes no limit for refunds either', async () => {
    await owner.call.refunds.setLimits([{ currency: 'eur', amountMinor: 1_000, seen: null }]);
    await owner.call.refunds.setLimits([{ currency: 'eur', amountMinor: 100, seen: 1_000 }]);
    const stale = owner.call.refunds.setLimits([
      { currency: 'usd', amountMinor: 5, seen: null },
      { currency: 'eur', amountMinor: 2_000, seen: 1_000 },
    ]);
    await expect(stale).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await owner.call.refunds.limits()).toEqual([{ currency: 'eur', amountMinor: 100 }]);
  });
});

describe('settings in effect, through the real engine and store', () => {
  const run = (tenantId: string, keyHeader: string, handler: () => Promise<never> | Promise<object>) =>
    harness.services.engine.run(
      operation,
      { tenantId, principal: 'test', keyHeader, input: {} },
      handler as never,
    );
  const clocks = async (tenantId: string, key: string) => {
    const [row] = await harness.db.$queryRaw<{ replay: number; body: number; metadata: number }[]>`
      SELECT extract(epoch FROM expires_at - updated_at)::int / 3600 AS replay,
        extract(epoch FROM body_purge_at - updated_at)::int / 3600 AS body,
        extract(epoch FROM delete_at - updated_at)::int / 3600 AS metadata
      FROM idempotency_record
      WHERE tenant_id = ${tenantId} AND operation = ${operation.name} AND key = ${key}`;
    return row;
  };
  const done = { kind: 'completed', status: 201, body: {}, cause: 'test' } as const;

  test('govern lease and retention, also of what reconciliation resolves; another shop keeps the defaults', async () => {
    const [mine, theirs] = [await harness.openShop('initech'), await harness.openShop('globex')];
    const boss = await harness.createMember(mine, 'owner');
    await boss.call.settings.change({
      ...defaults,
      leaseMs: 120_000,
      replayHours: 48,
      bodyHours: 2,
      metadataHours: 24 * 365,
    });

    const leases: number[] = [];
    for (const [tenantId, key] of [
      [mine, 'lease-of-initech'],
      [theirs, 'lease-of-globex-'],
    ] as const) {
      await run(tenantId, key, async () => {
        const [row] = await harness.db.$queryRaw<{ seconds: number }[]>`
          SELECT round(extract(epoch FROM lease_until - created_at))::int AS seconds
          FROM idempotency_record
          WHERE tenant_id = ${tenantId} AND operation = ${operation.name} AND key = ${key}`;
        leases.push(row?.seconds ?? 0);
        return done;
      });
    }
    expect(leases).toEqual([120, 30]);
    expect(await clocks(mine, 'lease-of-initech')).toEqual({ replay: 48, body: 2, metadata: 24 * 365 });
    expect(await clocks(theirs, 'lease-of-globex-')).toEqual({ replay: 24, body: 24, metadata: 24 * 90 });

    const key = 'unknown-of-initech';
    await run(mine, key, async () => ({ kind: 'unknown', code: 'timeout' }));
    const record = await harness.services.store.findById(
      operationRefOf({
        tenantId: mine,
        operation: operation.name,
        key,
      }),
    );
    if (!record) throw new Error('There is no record.');
    await harness.services.engine.resolve(operation, record, done, 'poller');
    expect(await clocks(mine, key)).toEqual({ replay: 48, body: 2, metadata: 24 * 365 });

    await run(mine, 'released-initech-', async () => ({
      kind: 'failed_retryable',
      problem: { spec: paymentProblems.order_cancelled },
    }));
    expect(await clocks(mine, 'released-initech-')).toMatchObject({ replay: 48 });
    expect(await reap(harness.services.store)).toEqual({ purge_body: 0, expire: 0, delete: 0 });
  });
});

describe('the policy the engine asks for', () => {
  test('is cached, and a changed setting takes effect at once', async () => {
    const { db, listener } = harness.services;
    const reads = vi.spyOn(db.tenantSettings, 'findUnique');
    const policy = createTenantPolicy({ db, listener }, { minMs: 1 });
    await listener.connected();
    await policy(shop);
    await policy(shop);
    expect(reads).toHaveBeenCalledTimes(1);
    const heard = new Promise<void>((resolve) => {
      const onNotified = (topic: string) => topic === `tenant_settings:${shop}` && resolve();
      listener.subscribe({ onNotified, onMissed: () => undefined });
    });
    await db.tenantSettings.update({ where: { tenantId: shop }, data: { leaseMs: 50_000 } });
    await heard;
    expect(await policy(shop)).toMatchObject({ leaseMs: 50_000 });
    reads.mockRestore();
  });

  test('is read again, like who may go on reading, for a change of its own tenant only', async () => {
    const { db, listener } = harness.services;
    const other = await harness.openShop('another');
    const reads = vi.spyOn(db.tenantSettings, 'findUnique');
    const policy = createTenantPolicy({ db, listener }, { minMs: 1 });
    await listener.connected();
    await policy(shop);
    let asked = 0;
    const watching = untilNotAllowed(listener, { userId: owner.userId, tenantIds: [shop] }, async () => {
      asked += 1;
      return true;
    });
    const change = async (tenantId: string) => {
      const heard = Promise.withResolvers<void>();
      const stop = listener.subscribe({
        onNotified: (topic) => topic.startsWith('tenant_settings:') && heard.resolve(),
        onMissed: () => undefined,
      });
      await db.$executeRaw`
        INSERT INTO tenant_settings (tenant_id, updated_by) VALUES (${tenantId}, 'test')
        ON CONFLICT (tenant_id) DO UPDATE SET updated_by = excluded.updated_by`;
      await heard.promise;
      stop();
    };
    await change(other);
    await policy(shop);
    expect([reads.mock.calls.length, asked]).toEqual([1, 0]);
    await change(shop);
    await policy(shop);
    expect([reads.mock.calls.length, asked]).toEqual([2, 1]);
    watching.close();
    reads.mockRestore();
  });

  test('has no lease shorter than the provider’s timeouts, also when a shorter one is stored', async () => {
    await harness.db.tenantSettings.update({ where: { tenantId: shop }, data: { leaseMs: 1_000 } });
    const policy = createTenantPolicy(harness.services, { minMs: 11_000 });
    expect(await policy(shop)).toMatchObject({ leaseMs: 11_000 });
  });
});
