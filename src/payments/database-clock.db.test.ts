import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createRefundKind } from './operations/create-refund/kind.ts';
import { runOperation } from './operations/run-operation.ts';
import { bodyOf, command, newKey, openPaymentHarness, type PaymentHarness } from './testing/harness.ts';

let harness: PaymentHarness;
beforeAll(async () => {
  harness = await openPaymentHarness();
});
afterEach(() => vi.useRealTimers());
afterAll(() => harness.close());

const hourMs = 3_600_000;

test.each([
  ['behind', -2 * hourMs],
  ['ahead', 2 * hourMs],
])(
  'a refund, its entries and its event have the time of the database where the clock of the process is %s',
  async (_, skewMs) => {
    const { db, engine, provider, tenantId } = harness;
    const paymentId = String(bodyOf(await harness.pay(command(), newKey())).paymentId);
    const now = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: now + skewMs });
    const caller = { tenantId, principal: 'tester', keyHeader: newKey() };
    const refund = { paymentId, reference: randomUUID() };
    expect(await runOperation({ engine, provider }, createRefundKind, caller, refund)).toMatchObject({
      kind: 'completed',
    });

    const { id, createdAt } = await db.refund.findFirstOrThrow({ where: { paymentId } });
    const entries = await db.ledgerEntry.findMany({ where: { sourceId: id } });
    const event = await db.outboxEvent.findFirstOrThrow({ where: { sourceId: id } });
    const times = [createdAt, event.createdAt, ...entries.map(({ at }) => at)];
    expect(times).toHaveLength(4);
    for (const time of times) expect(Math.abs(time.getTime() - now)).toBeLessThan(hourMs);
  },
);
