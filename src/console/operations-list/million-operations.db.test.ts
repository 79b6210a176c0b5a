import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Prisma } from '#prisma';
import { type OpenDatabase, openTestDatabase } from '#run/testing/open-database.ts';
import { operationMoney } from '../operation-page/operation-money.ts';
import { versionOf } from '../operation-page/watch-operation.ts';
import { readHealth, readOpenPiles } from '../overview/overview.ts';
import { figureLimit, figuresSql } from '../overview/overview-figures.ts';
import { type Cursor, readCursor } from '../paging/cursor.ts';
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
  await loadMillionOperations(db);
}, 300_000);
afterAll(() => database.close());

interface Node {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Node[];
}

async function explain(query: Prisma.Sql): Promise<{ nodes: Node[]; ms: number }> {
  const [row] = await db.$queryRawUnsafe<{ 'QUERY PLAN': [{ Plan: Node; 'Execution Time': number }] }[]>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${query.text}`,
    ...query.values,
  );
  const explained = row?.['QUERY PLAN'][0];
  if (!explained) throw new Error('no plan');
  const all = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(all)];
  return { nodes: all(explained.Plan), ms: explained['Execution Time'] };
}

/** The most that any step of the plan read, wherever in the table it was. */
function mostRows(nodes: readonly Node[]): number {
  return Math.max(
    ...nodes.map(
      (node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    ),
  );
}

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
  'old and of an error': 'older=30d&error=provider_timeout',
  'an error': 'error=lease_expired',
  'an error that never was': 'error=no_such_code',
  'an unknown of an error': 'status=unknown&error=provider_timeout',
  'the queue': 'escalated=1',
  'an amount': 'currency=eur&min=100&max=200',
  'an amount that nobody paid': 'currency=eur&min=900000',
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

/** A place in the middle of everything. */
function middle(filter: OperationFilter): Cursor {
  const id = '80000000-0000-4000-8000-000000000000';
  if (filter.sort === 'amount') return { value: 500_000, id };
  return { value: (Date.now() - 45 * 86_400_000) * 1_000, id };
}

describe('with a million operations in the table', () => {
  test.each(combinations)(
    '%s: %s is one indexed query, and deep pages cost like the first',
    async (_, _name, address) => {
      const filter = filterOf(address);
      const pages = [
        pageSql({ tenantIds, filter, limit }),
        pageSql({ tenantIds, filter, limit, at: { cursor: middle(filter), side: 'after' } }),
        pageSql({ tenantIds, filter, limit, at: { cursor: middle(filter), side: 'before' } }),
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
    ['what half the table begins with', async () => 'ORDER-'],
  ])('%s is found by indexes alone, and only in its own shop', async (_, name) => {
    const filter = readFilter({ q: await name() });
    const selectiveFilters = selectiveFiltersOf(filter, tenantIds);
    const among = await matchSelective(db, selectiveFilters, scanLimit);
    for (const statement of [
      ...selectiveFilters.map((selectiveFilter) => candidatesSql(selectiveFilter, scanLimit)),
      pageSql({ tenantIds, filter, limit }, among),
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
    const among = await matchSelective(db, selectiveFilters, scanLimit);
    for (const statement of [
      ...selectiveFilters.map((selectiveFilter) => candidatesSql(selectiveFilter, scanLimit)),
      pageSql({ tenantIds, filter, limit }, among),
      pageSql({ tenantIds, filter, limit, at: { cursor: middle(filter), side: 'after' } }),
    ]) {
      const { nodes } = await explain(statement);
      expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
      expect(mostRows(nodes)).toBeLessThanOrEqual(1.1 * scanLimit);
    }
  });

  test.each(Object.entries(figuresSql(bigShop, '7d')))(
    'the figure of the overview is counted by an index alone, up to a limit: %s',
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
      const among = await matchSelective(db, selectiveFilters, scanLimit);
      const { nodes } = await explain(pageSql(query, among));
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
      // What this connection has scanned so far, with what is not yet in the statistics of earlier transactions.
      const scans = () => tx.$queryRaw`
        SELECT relname::text AS table, seq_scan::int AS scans FROM pg_stat_xact_user_tables
        WHERE relname = ANY(${tables}) ORDER BY relname`;
      const start = await scans();
      expect(await readOperations(tx, shops, ids)).toHaveLength(200);
      await readQueue(tx, bigShop);
      await readOpenPiles(tx, bigShop);
      await readHealth(tx, bigShop, 'sandbox');
      await listCurrencies(tx, shops);
      await versionOf(tx, operation);
      await operationMoney(tx, operation);
      return [start, await scans()];
    });
    expect(before).toHaveLength(tables.length);
    expect(after).toEqual(before);
  });

  test('the tabs count what is open exactly, and the rest up to a thousand', async () => {
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
  ])('page by page, forth and back, shows every row once and in order: %s', async (address) => {
    const filter = readFilterQuery(address);
    const request = { tenantIds: [otherShop], filter, limit: 100 };
    const forth: string[] = [];
    let page = await listOperations(db, request);
    const pages = [page];
    for (let count = 0; count < 6 && page.next; count++) {
      page = await listOperations(db, { ...request, after: readCursor(page.next) });
      pages.push(page);
    }
    forth.push(...pages.flatMap(({ operations }) => operations.map(({ id }) => id)));
    expect(new Set(forth).size).toBe(forth.length);
    const back: string[] = [];
    const last = pages.pop();
    let before = last?.previous;
    while (before) {
      const earlier = await listOperations(db, { ...request, before: readCursor(before) });
      back.unshift(...earlier.operations.map(({ id }) => id));
      before = earlier.previous;
    }
    expect(back).toEqual(pages.flatMap(({ operations }) => operations.map(({ id }) => id)));
  });

  test('a filter that matches nothing for a long while says how far it scanned, and goes on from there', async () => {
    const filter = filterOf('currency=eur&min=900000&sort=newest');
    const first = await listOperations(db, { tenantIds, filter, limit });
    expect(first).toMatchObject({ scanned: scanLimit });
    const second = await listOperations(db, { tenantIds, filter, limit, after: readCursor(first.next) });
    const before = new Set(first.operations.map(({ id }) => id));
    expect(second.operations.some(({ id }) => before.has(id))).toBe(false);
  });
});

function somePayment() {
  return db.payment.findFirstOrThrow({
    where: { tenantId: bigShop, status: 'succeeded', receiptEmail: { not: null } },
  });
}
