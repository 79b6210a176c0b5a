import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPrismaDriver } from '#idempotency/stores/prisma.ts';
import { createEventFollower, type PaymentProvider } from '#payments/index.ts';
import {
  bodyOf,
  command,
  newKey,
  openPaymentHarness,
  type PaymentHarness,
} from '#payments/testing/harness.ts';
import { runDueJobs } from '#payments/testing/run-due-jobs.ts';
import { createCircuit } from './circuit.ts';
import { createEventListing } from './list-events.ts';
import { processProviderEvent, providerEventTask } from './provider-events.ts';
import { createEventReceiver } from './receive-events.ts';
import { reconcilerOf } from './testing/lost-commits.ts';

/** The sandbox here has no webhook endpoint, so its list is the only way by which an event comes. */
let harness: PaymentHarness;
beforeAll(async () => {
  harness = await openPaymentHarness();
});
afterAll(() => harness.close());

type Listed = Parameters<PaymentProvider['listEvents']>[0];

/** What a worker does every minute. */
function openListing(listEvents: PaymentProvider['listEvents'] = harness.provider.listEvents) {
  const missed: object[] = [];
  const pages: Listed[] = [];
  const takePage = createEventListing({
    db: harness.db,
    provider: {
      ...harness.provider,
      listEvents(page) {
        pages.push(page);
        return listEvents(page);
      },
    },
    receiveEvent: createEventReceiver(createPrismaDriver(harness.db)),
    settings: { provider: 'sandbox' },
    onMissed: (events) => missed.push(events),
  });
  return { takePage, pages, missed };
}

const place = () => harness.db.providerEventList.findUniqueOrThrow({ where: { provider: 'sandbox' } });
const later = () => harness.db.$executeRaw`
  UPDATE provider_event_list SET due_at = now() WHERE provider = 'sandbox'`;

/** A listing is due, of all until some moments from now, as if the minutes that are left to webhooks were over. */
beforeEach(async () => {
  await harness.db.$executeRaw`DELETE FROM provider_event_list`;
  await harness.db.$executeRaw`
    INSERT INTO provider_event_list (provider, due_at, until) VALUES ('sandbox', now(), now() + interval '1 minute')`;
});

async function refundInDashboard(intentId: string): Promise<void> {
  const response = await fetch(`${harness.sandbox.url}/v1/refunds`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${harness.sandbox.secretKey}` },
    body: new URLSearchParams({ payment_intent: intentId, amount: '300' }),
  });
  expect(response.status).toBe(200);
}

async function processEvents(): Promise<void> {
  const parts = { ...harness, reconciler: reconcilerOf(harness), follower: createEventFollower(harness) };
  await runDueJobs(harness, {
    [providerEventTask]: (payload) => processProviderEvent(parts, (payload as { id: string }).id),
  });
}

describe('an event whose webhook never arrives', () => {
  test('is taken from the list, once: a refund that was made in the dashboard is booked', async () => {
    const { paymentId } = bodyOf(await harness.pay(command(), newKey()));
    const payment = () => harness.db.payment.findFirstOrThrow({ where: { id: String(paymentId) } });
    await refundInDashboard(String((await payment()).providerIntentId));
    const { takePage, missed } = openListing();
    expect(await takePage()).toBe(0);
    // Of the refund there are two, made and updated.
    expect(missed).toEqual([{ stored: 2, nothing_new: 1 }]);
    await processEvents();
    expect(await payment()).toMatchObject({ refundedMinor: 300n });
    await harness.db.$executeRaw`UPDATE provider_event_list SET until = now() + interval '1 minute'`;
    await later();
    expect(await takePage()).toBe(0);
    expect(missed).toHaveLength(1);
  });

  test('is left to its webhook for minutes, and then found in a listing that overlaps with the last one', async () => {
    await harness.db.$executeRaw`UPDATE provider_event_list SET until = NULL`;
    const { takePage, pages } = openListing();
    const before = await place();
    expect(await takePage()).toBe(0);
    const after = await place();
    const ageMs = Date.now() - after.listedUntil.getTime();
    expect(ageMs).toBeGreaterThanOrEqual(5 * 60_000);
    expect(ageMs).toBeLessThan(6 * 60_000);
    const overlapped = new Date(before.listedUntil.getTime() - 5 * 60_000);
    expect(pages).toEqual([{ since: overlapped, until: after.listedUntil, after: undefined }]);
    expect(after).toMatchObject({ until: null, after: null });
    expect(after.dueAt.getTime() - Date.now()).toBeGreaterThan(14 * 60_000);
  });
});

describe('the list of events', () => {
  const page = (next?: string) =>
    ({ kind: 'responded', events: [], objectIds: [], next }) satisfies Awaited<
      ReturnType<PaymentProvider['listEvents']>
    >;

  test('is not read in a new installation before there can be anything in it', async () => {
    await harness.db.$executeRaw`DELETE FROM provider_event_list`;
    const { takePage, pages } = openListing();
    expect(await takePage()).toBe(0);
    expect(await takePage()).toBe(0);
    expect(pages).toEqual([]);
    await later();
    expect(await takePage()).toBe(0);
    expect(pages).toHaveLength(1);
  });

  test('is read by one process at a time, and by any of them page by page', async () => {
    const listEvents = async ({ after }: Listed) =>
      page(after === 'evt_2' ? undefined : after ? 'evt_2' : 'evt_1');
    const other = openListing(listEvents);
    let meanwhile: number | undefined;
    const one = openListing(async (at) => {
      meanwhile ??= await other.takePage();
      return listEvents(at);
    });
    expect(await one.takePage()).toBe(1);
    expect(meanwhile).toBe(0);
    expect([await other.takePage(), await one.takePage(), await other.takePage()]).toEqual([1, 0, 0]);
    const read = [...one.pages, ...other.pages];
    expect(read.map(({ after }) => after).toSorted()).toEqual(['evt_1', 'evt_2', undefined]);
    expect(new Set(read.map(({ until }) => until?.getTime())).size).toBe(1);
  });

  test('may have its pages where they were in the last listing, which another process has ended', async () => {
    const listEvents = async ({ after }: Listed) => page(after ? undefined : 'evt_1');
    const [one, other] = [openListing(listEvents), openListing(listEvents)];
    expect([await one.takePage(), await other.takePage()]).toEqual([1, 0]);
    await later();
    expect([await one.takePage(), await one.takePage()]).toEqual([1, 0]);
  });

  test('is read again later, from the same page, after the provider did not respond', async () => {
    const before = await place();
    const { takePage, pages } = openListing(async ({ after }) => {
      if (!after) return page('evt_1');
      return pages.length === 2 ? { kind: 'ambiguous', code: 'provider_timeout' } : page();
    });
    expect(await takePage()).toBe(1);
    await expect(takePage()).rejects.toThrow('provider_timeout');
    expect(await takePage(), 'it is not due').toBe(0);
    expect(await place()).toMatchObject({ listedUntil: before.listedUntil, after: 'evt_1' });
    await later();
    expect(await takePage()).toBe(0);
    expect(pages.map(({ after }) => after)).toEqual([undefined, 'evt_1', 'evt_1']);
    expect(await place()).toMatchObject({ listedUntil: before.until, until: null, after: null });
  });

  test.each([
    [
      'does not know the place any more',
      async () => ({ kind: 'rejected', code: 'resource_missing' }) as const,
      'resource_missing',
    ],
    ['leads back', async () => page('evt_1'), 'provider_response_invalid'],
  ] as const)('is read from its beginning after the provider %s', async (_, second, code) => {
    const before = await place();
    const { takePage } = openListing(async ({ after }) => (after ? second() : page('evt_1')));
    expect(await takePage()).toBe(1);
    await expect(takePage()).rejects.toThrow(code);
    expect(await place()).toMatchObject({ listedUntil: before.listedUntil, until: null, after: null });
    expect(await takePage(), 'it is not due').toBe(0);
  });

  test('is not read while the provider is away', async () => {
    const circuit = createCircuit(harness.db, 'sandbox');
    for (let failures = 0; failures < 5; failures += 1) await circuit.failed();
    const { takePage, pages } = openListing();
    expect(await takePage()).toBe(0);
    expect(pages).toEqual([]);
    await circuit.succeeded();
    expect(await takePage()).toBe(0);
    expect(pages).toHaveLength(1);
  });
});
