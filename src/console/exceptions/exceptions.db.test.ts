import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenDatabase, openTestDatabase } from '#run/testing/open-database.ts';
import { readPageCursors } from '../paging/keyset-page.ts';
import { createShop, runningPayment } from '../testing/rows.ts';
import { listExceptions } from './list-exceptions.ts';

let database: OpenDatabase;
let db: OpenDatabase['db'];
let shop: string;
const [count, waiting] = [6_000, 300];
const limit = 100;

/** Far more than a real shop has: five are found in the same microsecond, and one in twenty is open. */
beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
  shop = await createShop(db, randomUUID());
  const other = await createShop(db, randomUUID());
  for (const tenantId of [shop, other]) {
    const { paymentId } = await runningPayment(db, tenantId);
    await db.$executeRaw`
      INSERT INTO reconciliation_exception (tenant_id, payment_id, intent_id, reason, status, decided_at, found_at)
      SELECT ${tenantId}, ${paymentId}::uuid, ${`pi_${tenantId}_`} || n, 'order_cancelled',
        CASE WHEN n % 20 = 0 THEN 'open' ELSE 'dismissed' END, CASE WHEN n % 20 > 0 THEN clock_timestamp() END,
        timestamptz '2026-11-16 09:00:00.000001Z' - (n / 5) * interval '1 microsecond'
      FROM generate_series(1, ${count}::int) AS n`;
  }
  await db.$executeRaw`ANALYZE reconciliation_exception`;
});
afterAll(() => database.close());

type Page = Awaited<ReturnType<typeof listExceptions>>;

const list = (place: { after?: string | undefined; before?: string | undefined } = {}, onlyOpen = false) =>
  listExceptions(db, { tenantId: shop, limit, onlyOpen, ...readPageCursors(place) });

/** Every page from the first to the last. */
async function readThrough(onlyOpen: boolean): Promise<Page[]> {
  const pages = [await list({}, onlyOpen)];
  for (let after = pages[0]?.next; after; after = pages.at(-1)?.next)
    pages.push(await list({ after }, onlyOpen));
  return pages;
}

const idsOf = ({ exceptions }: Page) => exceptions.map(({ id }) => id);

test.each([
  ['all', false, count],
  ['those that wait for a decision', true, waiting],
])(
  'the pages show %s, each once and newest first, also when many were found at the same time',
  async (_, onlyOpen, expected) => {
    const pages = await readThrough(onlyOpen);
    const exceptions = pages.flatMap((page) => page.exceptions);
    expect(exceptions).toHaveLength(expected);
    expect(new Set(exceptions.map(({ id }) => id)).size).toBe(expected);
    expect(exceptions.map(({ foundAt }) => foundAt)).toEqual(
      exceptions
        .map(({ foundAt }) => foundAt)
        .toSorted()
        .toReversed(),
    );
    expect(exceptions.every(({ intentId }) => intentId?.startsWith(`pi_${shop}_`))).toBe(true);
    expect(pages.every((page) => page.waiting === waiting)).toBe(true);
  },
);

test('paging backwards shows the same pages', async () => {
  const pages = await readThrough(false);
  expect(pages[0]?.previous).toBeUndefined();
  for (let n = pages.length - 1; n > 0; n--) {
    const back = await list({ before: pages[n]?.previous });
    expect(idsOf(back)).toEqual(pages[n - 1] && idsOf(pages[n - 1] as Page));
  }
});

test('an exception that is found meanwhile does not shift the next page', async () => {
  const [first, second] = [await list(), await list({ after: (await list()).next })];
  const { paymentId } = await runningPayment(db, shop);
  const { id } = await db.reconciliationException.create({
    data: { tenantId: shop, paymentId, intentId: randomUUID(), reason: 'order_cancelled' },
  });
  expect(idsOf(await list({ after: first.next }))).toEqual(idsOf(second));
  expect(idsOf(await list())[0]).toBe(id);
  await db.reconciliationException.delete({ where: { tenantId_id: { tenantId: shop, id } } });
});

test.each([
  ['of those that wait', true],
  ['of all', false],
])('a page %s reads only the rows that it shows', async (_, onlyOpen) => {
  const second = await list({ after: (await list({}, onlyOpen)).next }, onlyOpen);
  const [before, after] = await db.$transaction(async (tx) => {
    // What this transaction has read so far: sequential scans, and rows fetched by index scans.
    const reads = async () => {
      const [row] = await tx.$queryRaw<{ scans: number; rows: number }[]>`
        SELECT coalesce(sum(seq_scan), 0)::int AS scans, coalesce(sum(idx_tup_fetch), 0)::int AS rows
        FROM pg_stat_xact_user_tables WHERE relname = 'reconciliation_exception'`;
      return row ?? { scans: 0, rows: 0 };
    };
    const start = await reads();
    await listExceptions(tx, { tenantId: shop, limit, onlyOpen, ...readPageCursors({ after: second.next }) });
    return [start, await reads()];
  });
  expect(after.scans - before.scans).toBe(0);
  const rows = after.rows - before.rows;
  expect(rows).toBeGreaterThanOrEqual(limit);
  // The page's rows are found and then read. The open ones are counted, possibly by the index over all shops.
  expect(rows).toBeLessThanOrEqual(2 * limit + 1 + 2 * waiting);
});
