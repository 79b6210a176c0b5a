import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createResponseCipher } from '#idempotency/index.ts';
import { command, newKey, openPaymentHarness, type PaymentHarness } from '#payments/testing/harness.ts';
import { runDueJobs } from '#payments/testing/run-due-jobs.ts';
import type { Log } from './log.ts';
import { createLoggedOutbox } from './logged-outbox.ts';

let harness: PaymentHarness;

beforeAll(async () => {
  harness = await openPaymentHarness();
});
afterAll(() => harness.close());

test('a failed batch of events is logged as a warning with its reason, even if the jobs then succeed', async () => {
  const failure = new Error('The consumer failed.');
  const consumer = vi.fn(async () => undefined).mockRejectedValueOnce(failure);
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const outbox = createLoggedOutbox({
    db: harness.db,
    log: log as unknown as Log,
    outbox: {
      consumers: { consumer },
      describePurchase: async () => undefined,
      mail: {},
      webhookAddresses: 'public_or_loopback',
      cipher: createResponseCipher([{ id: 'test', key: new Uint8Array(32) }]),
    },
  });
  await harness.pay(command(), newKey());
  const event = await harness.db.outboxEvent.findFirstOrThrow();

  expect(await outbox.relay()).toBe(1);
  expect(log.warn.mock.calls).toEqual([[{ err: failure }, expect.stringContaining('each becomes a job')]]);
  await runDueJobs(harness, outbox.tasks);
  const consumed = await harness.db.inboxMessage.findMany({ where: { consumer: 'consumer' } });
  expect(consumed).toMatchObject([{ messageId: event.id }]);
  expect(log.info).toHaveBeenCalledWith(expect.objectContaining({ eventId: event.id }), 'event consumed');
  expect(log.warn).toHaveBeenCalledTimes(1);
  expect(log.error).not.toHaveBeenCalled();
});
