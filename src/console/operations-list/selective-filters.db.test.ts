import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenDatabase, openTestDatabase } from '#run/testing/open-database.ts';
import { readCursor } from '../paging/cursor.ts';
import {
  becomeUnknown,
  createShop,
  manyRunningPayments,
  releaseOperation,
  runningPayment,
} from '../testing/rows.ts';
import { exportOperations } from './export-operations.ts';
import { listOperations } from './list-operations.ts';
import type { PageRow } from './operation-details.ts';
import { readFilterQuery } from './operation-filter.ts';
import { pageSql, scanLimit } from './operation-query.ts';

let database: OpenDatabase;
let db: OpenDatabase['db'];

beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(() => database.close());

/** The rows of all pages. */
async function listAll(tenantId: string, address: string) {
  const found: string[] = [];
  let next: string | undefined;
  do {
    const page = await listOperations(db, {
      tenantIds: [tenantId],
      filter: readFilterQuery(address),
      limit: 200,
      after: readCursor(next),
    });
    found.push(...page.operations.map(({ id }) => id));
    next = page.next;
  } while (next);
  return { found };
}

describe.each([
  ['more matches than are sorted', scanLimit + 100],
  ['many matches, few enough to be sorted', 600],
])('with %s', (_, count) => {
  let shop: string;
  let hidden: Awaited<ReturnType<typeof runningPayment>>;

  beforeAll(async () => {
    shop = await createShop(db, randomUUID());
    await manyRunningPayments(db, shop, 'ACME-', count);
    hidden = await runningPayment(db, shop, { reference: 'ACME-unknown' });
    await becomeUnknown(db, hidden);
    await misuse(shop, count);
  });

  test.each(['reference=ACME-', 'q=acme-', 'q=ACME-', 'misused=1', 'misused=1d'])(
    'an unknown operation among them is found: %s',
    async (address) => {
      expect((await listAll(shop, `${address}&status=unknown`)).found).toEqual([hidden.id]);
      expect((await listAll(shop, `${address}&sort=unknown`)).found).toEqual([hidden.id]);
      expect((await listAll(shop, `${address}&error=provider_timeout`)).found).toEqual([hidden.id]);
    },
  );

  test.each([
    'reference=ACME-',
    'q=ACME-0000',
    'key=ACME-0000',
    'q=often@example.com',
    'misused=1&sort=oldest',
    'reference=ACME-&sort=amount',
  ])('the pages show each of them once: %s', async (address) => {
    const { found } = await listAll(shop, address);
    const hiddenToo = address.startsWith('reference') || address.startsWith('misused') ? 1 : 0;
    expect(found).toHaveLength(count + hiddenToo);
    expect(new Set(found).size).toBe(found.length);
  });

  test('the export has all of them', async () => {
    let text = '';
    const request = { shops: new Map([[shop, 'acme']]), filter: readFilterQuery('reference=ACME-') };
    for await (const lines of exportOperations(db, request)) text += lines;
    const references = text.split('\r\n').flatMap((line) => line.match(/ACME-\w+/)?.[0] ?? []);
    expect(new Set(references).size).toBe(count + 1);
    expect(references).toContain('ACME-unknown');
  });
});

test('a page that found nothing within the scan limit reports how far it scanned, and the next continues there', async () => {
  const shop = await createShop(db, randomUUID());
  await manyRunningPayments(db, shop, 'LATE-', scanLimit + 100);
  const large = await runningPayment(db, shop, { reference: 'LATE-large', amountMinor: 90_000 });
  const filter = readFilterQuery('reference=LATE-&currency=eur&min=500&sort=oldest');
  const request = { tenantIds: [shop], filter, limit: 200 };
  const first = await listOperations(db, request);
  expect(first).toMatchObject({ operations: [], scanned: scanLimit });
  const second = await listOperations(db, { ...request, after: readCursor(first.next) });
  expect(second.operations.map(({ id }) => id)).toEqual([large.id]);
  expect(second).toMatchObject({ next: undefined, scanned: undefined });
});

test('sorted candidates and scanned pages give the same rows', async () => {
  const shop = await createShop(db, randomUUID());
  const one = await runningPayment(db, shop, { reference: 'ONE-1' });
  const other = await runningPayment(db, shop, { reference: 'OTHER-1' });
  await db.payment.update({
    where: { tenantId_id: { tenantId: shop, id: one.paymentId } },
    data: { receiptEmail: 'One@example.com', providerIntentId: 'pi_one', providerChargeId: 'ch_one' },
  });
  const refund = await refundOf(shop, one.paymentId);
  await becomeUnknown(db, other);
  await misuse(shop, 10);
  const expected: Record<string, string[]> = {
    [`q=${one.id}`]: [one.id],
    [`q=${one.paymentId}`]: [refund, one.id],
    [`q=${one.key}`]: [one.id],
    'q=one-1': [refund, one.id],
    'q=pi_one': [refund, one.id],
    'q=ch_one': [refund, one.id],
    'q=re_one': [refund],
    'q=one@EXAMPLE.com': [refund, one.id],
    'q=pi_none': [],
    [`key=${one.key.slice(0, 8)}`]: [one.id],
    'reference=O': [refund, other.id, one.id],
    'misused=1': [refund, other.id, one.id],
    'misused=1h&reference=OTHER': [other.id],
    'became_unknown=1h': [other.id],
    'resolved=1h': [],
  };
  for (const [address, ids] of Object.entries(expected)) {
    const filter = readFilterQuery(address);
    const query = { tenantIds: [shop], filter, limit: 50 };
    const sorted = await listOperations(db, query);
    expect(
      sorted.operations.map(({ id }) => id),
      address,
    ).toEqual(ids);
    const scanned = await db.$queryRaw<PageRow[]>(pageSql(query));
    expect(
      scanned.flatMap(({ id }) => id ?? []),
      `${address}, scanned`,
    ).toEqual(ids);
  }
});

test('operations are found by when they became unknown, and by when they were resolved', async () => {
  const shop = await createShop(db, randomUUID());
  const running = await runningPayment(db, shop);
  const unknown = await runningPayment(db, shop);
  const released = await runningPayment(db, shop);
  await becomeUnknown(db, unknown);
  await becomeUnknown(db, released);
  await releaseOperation(db, released);
  await db.$executeRaw`
    UPDATE idempotency_record SET unknown_since = now() - interval '2 hours'
    WHERE tenant_id = ${shop} AND id = ${unknown.id}::uuid`;
  expect((await listAll(shop, 'became_unknown=1h')).found).toEqual([released.id]);
  expect((await listAll(shop, 'became_unknown=24h')).found).toEqual([released.id, unknown.id]);
  expect((await listAll(shop, 'resolved=1h')).found).toEqual([released.id]);
  expect((await listAll(shop, 'due=1')).found).toEqual([unknown.id]);
  expect((await listAll(shop, '')).found).toContain(running.id);
});

/** Records a misuse of the keys of the shop's newest operations. */
async function misuse(tenantId: string, count: number): Promise<void> {
  await db.$executeRaw`
    INSERT INTO key_misuse (record_id, tenant_id, kind, fields)
    SELECT id, ${tenantId}, 'command', 'amountMinor' FROM idempotency_record
    WHERE tenant_id = ${tenantId} ORDER BY created_at DESC LIMIT ${count + 1}`;
}

async function refundOf(tenantId: string, paymentId: string): Promise<string> {
  const { id } = await db.idempotencyRecord.create({
    data: {
      id: randomUUID(),
      tenantId,
      operation: 'refund.create',
      key: randomUUID(),
      fingerprint: 'f',
      fingerprintVersion: 1,
      principal: 'p',
      status: 'in_progress',
      leaseUntil: new Date(Date.now() + 60_000),
      recoveryPoint: 'refund_sent',
      transitionActor: 'test',
      transitionCause: 'claimed',
    },
  });
  await db.refund.create({
    data: {
      id: randomUUID(),
      tenantId,
      paymentId,
      operationId: id,
      reference: 'return-1',
      amountMinor: 100,
      status: 'pending',
      providerRefundId: 're_one',
    },
  });
  return id;
}
