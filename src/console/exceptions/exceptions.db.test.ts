import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenDatabase, openTestDatabase } from '#server/testing/open-database.ts';
import { readPlace } from '../paging/keyset-page.ts';
import { listLateTruths } from './list-exceptions.ts';
import { foundShop, runningPayment } from '../testing/rows.ts';

let database: OpenDatabase;
let db: OpenDatabase['db'];
let shop: string;
const [count, waiting] = [6_000, 300];
const limit = 100;

/** More than anybody should ever have: five found in each microsecond, and one in twenty still to decide on. */
beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
  shop = await foundShop(db, randomUUID());
  const other = await foundShop(db, randomUUID());
  for (const tenantId of [shop, other]) {
    const { paymentId } = await runningPayment(db, tenantId);
    await db.$executeRaw`
      INSERT INTO late_truth (tenant_id, payment_id, intent_id, reason, status, decided_at, found_at)
      SELECT ${tenantId}, ${paymentId}::uuid, ${`pi_${tenantId}_`} || n, 'order_cancelled',
        CASE WHEN n % 20 = 0 THEN 'open' ELSE 'dismissed' END, CASE WHEN n % 20 > 0 THEN clock_timestamp() END,
        timestamptz '2026-11-16 09:00:00.000001Z' - (n / 5) * interval '1 microsecond'
      FROM generate_series(1, ${count}::int) AS n`;
  }
  await db.$executeRaw`ANALYZE late_truth`;
});
afterAll(() => database.close());

type Page = Awaited<ReturnType<typeof listLateTruths>>;

const list = (place: { after?: string | undefined; before?: string | undefined } = {}, onlyOpen = false) =>
  listLateTruths(db, { tenantId: shop, limit, onlyOpen, ...readPlace(place) });

/** Every page from the first to the last, as somebody turns them. */
async function readThrough(onlyOpen: boolean): Promise<Page[]> {
  const pages = [await list({}, onlyOpen)];
  for (let after = pages[0]?.next; after; after = pages.at(-1)?.next)
    pages.push(await list({ after }, onlyOpen));
  return pages;
}

const idsOf = ({ late }: Page) => late.map(({ id }) => id);

test.each([
  ['all', false, count],
  ['those that wait for a decision', true, waiting],
])(
  'page by page one sees %s, each once and newest first, however many were found at once',
  async (_, onlyOpen, expected) => {
    const pages = await readThrough(onlyOpen);
    const late = pages.flatMap((page) => page.late);
    expect(late).toHaveLength(expected);
    expect(new Set(late.map(({ id }) => id)).size).toBe(expected);
    expect(late.map(({ foundAt }) => foundAt)).toEqual(
      late
        .map(({ foundAt }) => foundAt)
        .toSorted()
        .toReversed(),
    );
    expect(late.every(({ intentId }) => intentId?.startsWith(`pi_${shop}_`))).toBe(true);
    expect(pages.every((page) => page.waiting === waiting)).toBe(true);
  },
);

test('the way back shows the same pages', async () => {
  const pages = await readThrough(false);
  expect(pages[0]?.previous).toBeUndefined();
  for (let n = pages.length - 1; n > 0; n--) {
    const back = await list({ before: pages[n]?.previous });
    expect(idsOf(back)).toEqual(pages[n - 1] && idsOf(pages[n - 1] as Page));
  }
});

test('what arrives meanwhile pushes nothing from one page to the next', async () => {
  const [first, second] = [await list(), await list({ after: (await list()).next })];
  const { paymentId } = await runningPayment(db, shop);
  const { id } = await db.lateTruth.create({
    data: { tenantId: shop, paymentId, intentId: randomUUID(), reason: 'order_cancelled' },
  });
  expect(idsOf(await list({ after: first.next }))).toEqual(idsOf(second));
  expect(idsOf(await list())[0]).toBe(id);
  await db.lateTruth.delete({ where: { id } });
});

test.each([
  ['of those that wait', true],
  ['of all', false],
])('a page %s costs what it shows, not what was ever found', async (_, onlyOpen) => {
  const second = await list({ after: (await list({}, onlyOpen)).next }, onlyOpen);
  const [before, after] = await db.$transaction(async (tx) => {
    // What this connection has read so far: whole-table scans, and rows that indexes led to.
    const reads = async () => {
      const [row] = await tx.$queryRaw<{ scans: number; rows: number }[]>`
        SELECT coalesce(sum(seq_scan), 0)::int AS scans, coalesce(sum(idx_tup_fetch), 0)::int AS rows
        FROM pg_stat_xact_user_tables WHERE relname = 'late_truth'`;
      return row ?? { scans: 0, rows: 0 };
    };
    const start = await reads();
    await listLateTruths(tx, { tenantId: shop, limit, onlyOpen, ...readPlace({ after: second.next }) });
    return [start, await reads()];
  });
  expect(after.scans - before.scans).toBe(0);
  const rows = after.rows - before.rows;
  expect(rows).toBeGreaterThanOrEqual(limit);
  // The page, found and then read; and for their number what waits, for which the index of all shops' open ones may serve.
  expect(rows).toBeLessThanOrEqual(2 * limit + 1 + 2 * waiting);
});
