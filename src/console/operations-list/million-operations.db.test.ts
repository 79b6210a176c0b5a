import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Prisma } from '#prisma';
import { type OpenDatabase, openTestDatabase } from '#run/testing/open-database.ts';
import { operationMoney } from '../operation-page/operation-money.ts';
import { versionOf } from '../operation-page/watch-operation.ts';
import { readHealth, readOpenTotals } from '../overview/overview.ts';
import { figureLimit, figuresSql } from '../overview/overview-figures.ts';
import { type Cursor, readCursor } from '../paging/cursor.ts';
import { listPayments } from '../payments/list-payments.ts';
import { readPaymentFilter } from '../payments/payment-filter.ts';
import { paymentPageSql, paymentScanLimit, paymentSearchSql } from '../payments/payment-query.ts';
import { explain as explainOn, mostRows } from '../testing/explain.ts';
import { bigShop, loadMillionOperations, otherShop } from '../testing/million-operations.ts';
import { countsSql } from './count-operations.ts';
import { listCurrencies, listErrorCodes, listOperations, readOperations } from './list-operations.ts';
import { type OperationFilter, readFilter, readFilterQuery } from './operation-filter.ts';
import { pageSql, scanLimit } from './operation-query.ts';
import { readQueue } from './operators-queue.ts';
import { candidatesSql, matchSelective, selectiveFiltersOf } from './selective-filters.ts';

let database: OpenDatabase;
let db: OpenDatabase['db'];
const tenantIds = [bigShop];
const limit = 50;

beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
  await loadMillionOperations(database.url);
}, 300_000);
afterAll(() => database.close());

const explain = (query: Prisma.Sql) => explainOn(db, query);

const filters: Record<string, string> = {
  'no filter': '',
  unknown: 'status=unknown',
  'in progress': 'status=in_progress',
  completed: 'status=completed',
  released: 'status=failed_retryable',
  expired: 'status=expired',
  refunds: 'kind=refund.create',
  'expired refunds': 'kind=refund.create&status=expired',
  'older than a day': 'older=1d',
  'completed in the last hour': 'status=completed&younger=1h',
  'old with an error': 'older=30d&error=provider_timeout',
  'an error': 'error=lease_expired',
  'an error that never occurred': 'error=no_such_code',
  'unknown with an error': 'status=unknown&error=provider_timeout',
  'the queue': 'escalated=1',
  'an amount': 'currency=eur&min=100&max=200',
  'an amount without payments': 'currency=eur&min=900000',
  'an unknown amount': 'status=unknown&currency=eur&min=50',
  'another currency': 'currency=usd',
  declined: 'outcome=declined&younger=1d',
};
const sortings = ['newest', 'oldest', 'amount', 'unknown'];
const combinations = Object.entries(filters).flatMap(([name, address]) =>
  sortings.map((sort) => [sort, name, `${address}&sort=${sort}`] as const),
);

function filterOf(address: string): OperationFilter {
  const filter = readFilterQuery(address);
  return filter.sort === 'amount'
    ? { currency: 'eur', ...filter, ...(!filter.currency && { currency: 'eur' }) }
    : filter;
}

/** A cursor in the middle of all operations. */
function middle(filter: OperationFilter): Cursor {
  const id = '80000000-0000-4000-8000-000000000000';
  if (filter.sort === 'amount') return { value: 500_000, id };
  return { value: (Date.now() - 45 * 86_400_000) * 1_000, id };
}

describe('with a million operations in the table', () => {
  test.each(combinations)(
    '%s: %s is one indexed query, and deep pages cost as much as the first',
    async (_, _name, address) => {
      const filter = filterOf(address);
      const pages = [
        pageSql({ tenantIds, filter, limit }),
        pageSql({ tenantIds, filter, limit, seek: { cursor: middle(filter), side: 'after' } }),
        pageSql({ tenantIds, filter, limit, seek: { cursor: middle(filter), side: 'before' } }),
      ];
      for (const page of pages) {
        const { nodes } = await explain(page);
        expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
        // Rows per loop are rounded, and a merge reads one row of each branch ahead.
        expect(mostRows(nodes)).toBeLessThanOrEqual(1.1 * scanLimit);
      }
    },
  );

  test.each([
    [
      'an operation',
      async () => (await db.idempotencyRecord.findFirstOrThrow({ where: { tenantId: bigShop } })).id,
    ],
    ['a reference', async () => (await somePayment()).reference],
    ['the beginning of a reference', async () => (await somePayment()).reference.slice(0, 12)],
    ['an intent', async () => (await somePayment()).providerIntentId ?? ''],
    ['a charge', async () => (await somePayment()).providerChargeId ?? ''],
    ['an e-mail address', async () => (await somePayment()).receiptEmail ?? ''],
    [
      'a key',
      async () => (await db.idempotencyRecord.findFirstOrThrow({ where: { tenantId: bigShop } })).key,
    ],
    [
      'the beginning of a key',
      async () =>
        (await db.idempotencyRecord.findFirstOrThrow({ where: { tenantId: bigShop } })).key.slice(0, 12),
    ],
    ['a prefix that half the table has', async () => 'ORDER-'],
  ])('%s is found by indexes alone, and only in its own shop', async (_, name) => {
    const filter = readFilter({ q: await name() });
    const selectiveFilters = selectiveFiltersOf(filter, tenantIds);
    const candidates = await matchSelective(db, selectiveFilters, scanLimit);
    for (const statement of [
      ...selectiveFilters.map((selectiveFilter) => candidatesSql(selectiveFilter, scanLimit)),
      pageSql({ tenantIds, filter, limit }, candidates),
    ]) {
      const { nodes } = await explain(statement);
      expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
      expect(mostRows(nodes)).toBeLessThanOrEqual(1.1 * scanLimit);
    }
    const here = await listOperations(db, { tenantIds, filter, limit });
    expect(here.operations.length).toBeGreaterThan(0);
    expect(new Set(here.operations.map(({ tenantId }) => tenantId))).toEqual(new Set([bigShop]));
  });

  test.each([
    'reference=ORDER-&status=unknown',
    'reference=ORDER-&status=unknown&sort=amount&currency=eur',
    'key=key-0000&status=unknown',
    'became_unknown=7d',
    'resolved=90d&misused=7d',
    'misused=1&status=completed',
    'due=1',
  ])('a selective filter with many or few matches is served by indexes alone: %s', async (address) => {
    const filter = filterOf(address);
    const selectiveFilters = selectiveFiltersOf(filter, tenantIds);
    const candidates = await matchSelective(db, selectiveFilters, scanLimit);
    for (const statement of [
      ...selectiveFilters.map((selectiveFilter) => candidatesSql(selectiveFilter, scanLimit)),
      pageSql({ tenantIds, filter, limit }, candidates),
      pageSql({ tenantIds, filter, limit, seek: { cursor: middle(filter), side: 'after' } }),
    ]) {
      const { nodes } = await explain(statement);
      expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
      expect(mostRows(nodes)).toBeLessThanOrEqual(1.1 * scanLimit);
    }
  });

  test.each(Object.entries(figuresSql(bigShop, '7d')))(
    'a figure of the overview is counted by an index alone, up to a limit: %s',
    async (_, ids) => {
      const { nodes } = await explain(ids);
      expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
      expect(mostRows(nodes)).toBeLessThanOrEqual(1.1 * figureLimit);
    },
  );

  test.each(['', 'sort=unknown', 'sort=amount&currency=eur', 'kind=refund.create', 'q=ORDER-', 'misused=1'])(
    'the list of several shops is served by indexes alone: %s',
    async (address) => {
      const query = { tenantIds: [bigShop, otherShop], filter: filterOf(address), limit };
      const selectiveFilters = selectiveFiltersOf(query.filter, query.tenantIds);
      const candidates = await matchSelective(db, selectiveFilters, scanLimit);
      const { nodes } = await explain(pageSql(query, candidates));
      expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
      expect(mostRows(nodes)).toBeLessThanOrEqual(1.1 * scanLimit);
    },
  );

  test('rows by their ids, the overview, the queue and an operation’s page scan no table', async () => {
    const shops = [bigShop, otherShop];
    const { operations } = await listOperations(db, { tenantIds: shops, filter: readFilter({}), limit: 200 });
    const ids = operations.map(({ id }) => id);
    const [operation] = operations;
    if (!operation) throw new Error('There are no operations.');
    const tables = ['idempotency_record', 'idempotency_event', 'payment', 'refund', 'key_misuse'];
    const [before, after] = await db.$transaction(async (tx) => {
      // Sequential scans of this connection so far, including those of earlier transactions not yet in the statistics.
      const scans = () => tx.$queryRaw`
        SELECT relname::text AS table, seq_scan::int AS scans FROM pg_stat_xact_user_tables
        WHERE relname = ANY(${tables}) ORDER BY relname`;
      const start = await scans();
      expect(await readOperations(tx, shops, ids)).toHaveLength(200);
      await readQueue(tx, bigShop);
      await readOpenTotals(tx, bigShop);
      await readHealth(tx, bigShop, 'sandbox');
      await listCurrencies(tx, shops);
      await versionOf(tx, operation);
      await operationMoney(tx, operation);
      return [start, await scans()];
    });
    expect(before).toHaveLength(tables.length);
    expect(after).toEqual(before);
  });

  test('the tabs count open operations exactly, and others up to a thousand', async () => {
    const { nodes } = await explain(countsSql(tenantIds));
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    expect(mostRows(nodes)).toBeLessThan(10_000);
    expect(await listErrorCodes(db, tenantIds)).toHaveLength(4);
  });

  test.each([
    '',
    'kind=refund.create',
    'status=unknown&sort=unknown',
    'sort=amount&status=unknown&currency=eur',
  ])('paging forward and backward shows every row once and in order: %s', async (address) => {
    const filter = readFilterQuery(address);
    const request = { tenantIds: [otherShop], filter, limit: 100 };
    const forward: string[] = [];
    let page = await listOperations(db, request);
    const pages = [page];
    for (let count = 0; count < 6 && page.next; count++) {
      page = await listOperations(db, { ...request, after: readCursor(page.next) });
      pages.push(page);
    }
    forward.push(...pages.flatMap(({ operations }) => operations.map(({ id }) => id)));
    expect(new Set(forward).size).toBe(forward.length);
    const backward: string[] = [];
    const last = pages.pop();
    let before = last?.previous;
    while (before) {
      const earlier = await listOperations(db, { ...request, before: readCursor(before) });
      backward.unshift(...earlier.operations.map(({ id }) => id));
      before = earlier.previous;
    }
    expect(backward).toEqual(pages.flatMap(({ operations }) => operations.map(({ id }) => id)));
  });

  test('a filter without a match within the scan limit reports how far it scanned, and the next page continues there', async () => {
    const filter = filterOf('currency=eur&min=900000&sort=newest');
    const first = await listOperations(db, { tenantIds, filter, limit });
    expect(first).toMatchObject({ scanned: scanLimit });
    const second = await listOperations(db, { tenantIds, filter, limit, after: readCursor(first.next) });
    const before = new Set(first.operations.map(({ id }) => id));
    expect(second.operations.some(({ id }) => before.has(id))).toBe(false);
  });
});

describe('with a million payments in the table', () => {
  const searches = ['', 'ORDER-', 'shopper-7@example.com', 'pi_nowhere', 'ORDER-0000'];
  const parameters: Record<string, string>[] = [
    {},
    { outcome: 'paid' },
    { outcome: 'refunded' },
    { outcome: 'declined' },
    { outcome: 'unknown' },
    { outcome: 'not_charged' },
    { outcome: 'found_charged' },
    { from: day(60), to: day(30) },
    { min: '9000', currency: 'eur' },
    { last4: '4242' },
  ];
  const places = [undefined, 'after', 'before'] as const;

  test.each(
    parameters.flatMap((one) => searches.map((q) => [JSON.stringify({ ...one, q }), { ...one, q }] as const)),
  )('the list %s answers from an index, and deep pages cost as much as the first', async (_, params) => {
    const filter = readPaymentFilter(params);
    const query = { tenantId: bigShop, filter, limit };
    const found =
      filter.search === undefined
        ? undefined
        : await db.$queryRaw<{ id: string }[]>(paymentSearchSql(bigShop, filter.search, paymentScanLimit));
    const ids = found && found.length <= paymentScanLimit ? found.map(({ id }) => id) : undefined;
    const cursor = {
      value: (Date.now() - 45 * 86_400_000) * 1_000,
      id: '80000000-0000-4000-8000-000000000000',
    };
    const statements = places.map((side) =>
      paymentPageSql({ ...query, ...(side && { seek: { cursor, side } }) }, ids),
    );
    if (filter.search !== undefined)
      statements.push(paymentSearchSql(bigShop, filter.search, paymentScanLimit));
    for (const statement of statements) {
      const { nodes } = await explain(statement);
      // The exceptions are few: all of them may be read for a page of the payments that have one.
      const scanned = nodes.filter((node) => node['Node Type'] === 'Seq Scan');
      const others = scanned.filter((node) => node['Relation Name'] !== 'reconciliation_exception');
      expect(others).toEqual([]);
      // The search reads up to the limit for each of its terms, and a merge one row of each branch ahead.
      expect(mostRows(nodes)).toBeLessThanOrEqual(2.2 * paymentScanLimit);
    }
  });

  test('paging forward and backward shows every payment once and in order', async () => {
    const request = { tenantId: otherShop, filter: {}, limit: 100 };
    const pages = [await listPayments(db, request)];
    for (let next = pages[0]?.next; next && pages.length < 5; next = pages.at(-1)?.next) {
      pages.push(await listPayments(db, { ...request, after: readCursor(next) }));
    }
    const forward = pages.flatMap(({ payments }) => payments);
    expect(new Set(forward.map(({ id }) => id)).size).toBe(500);
    expect(forward.map(({ createdAt }) => createdAt)).toEqual(
      forward
        .map(({ createdAt }) => createdAt)
        .toSorted()
        .toReversed(),
    );
    const back = await listPayments(db, { ...request, before: readCursor(pages[2]?.previous) });
    expect(back.payments).toEqual(pages[1]?.payments);
  });

  test('a search finds a payment by its order, its e-mail address and its ids, in its own shop only', async () => {
    const payment = await somePayment();
    for (const q of [
      payment.reference,
      payment.receiptEmail,
      payment.id,
      payment.providerIntentId,
      payment.providerChargeId,
    ]) {
      const { payments } = await listPayments(db, {
        tenantId: bigShop,
        filter: readPaymentFilter({ q: q ?? '' }),
        limit: 200,
      });
      expect(
        payments.map(({ id }) => id),
        String(q),
      ).toContain(payment.id);
    }
    const elsewhere = readPaymentFilter({ q: payment.id });
    expect(await listPayments(db, { tenantId: otherShop, filter: elsewhere, limit })).toMatchObject({
      payments: [],
    });
  });
});

function day(ago: number): string {
  return new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
}

/** A new one: those with the same e-mail address are more than a page. */
function somePayment() {
  return db.payment.findFirstOrThrow({
    where: { tenantId: bigShop, status: 'succeeded', receiptEmail: { not: null } },
    orderBy: { createdAt: 'desc' },
  });
}
