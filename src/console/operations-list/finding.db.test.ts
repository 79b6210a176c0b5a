import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { byOperation } from '#payments/operations/copy.ts';
import { type OpenDatabase, openTestDatabase } from '#run/testing/open-database.ts';
import { readHealth, readOpenTotals } from '../overview/overview.ts';
import { readFigures } from '../overview/overview-figures.ts';
import {
  becomeUnknown,
  createShop,
  releaseOperation,
  returnedRefund,
  runningPayment,
} from '../testing/rows.ts';
import { countOperations } from './count-operations.ts';
import { exportOperations } from './export-operations.ts';
import { listOperations } from './list-operations.ts';
import { readFilterQuery } from './operation-filter.ts';
import { deleteView, listViews, renameView, saveView } from './saved-views.ts';

let database: OpenDatabase;
let db: OpenDatabase['db'];

beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(() => database.close());

const list = async (tenantIds: string[], address: string) => {
  const page = await listOperations(db, { tenantIds, filter: readFilterQuery(address), limit: 50 });
  return page.operations.map(({ id }) => id);
};

describe('the list', () => {
  test('each filter matches what it says and nothing else, in one shop or in several', async () => {
    const shop = await createShop(db, randomUUID());
    const other = await createShop(db, randomUUID());
    const small = await runningPayment(db, shop, { amountMinor: 500, reference: 'SMALL-1' });
    const large = await runningPayment(db, shop, { amountMinor: 90_000, reference: 'LARGE-1' });
    const yen = await runningPayment(db, shop, { amountMinor: 70_000, currency: 'jpy' });
    const theirs = await runningPayment(db, other, { amountMinor: 800 });
    await becomeUnknown(db, large);
    await becomeUnknown(db, yen, true);

    expect(await list([shop], 'sort=oldest')).toEqual([small.id, large.id, yen.id]);
    expect(await list([shop], '')).toEqual([yen.id, large.id, small.id]);
    expect(await list([shop], 'sort=unknown')).toEqual([large.id, yen.id]);
    expect(await list([shop], 'sort=amount')).toEqual([large.id, small.id]);
    expect(await list([shop], 'sort=amount&currency=jpy')).toEqual([yen.id]);
    expect(await list([shop], 'currency=eur&min=6&max=1000')).toEqual([large.id]);
    expect(await list([shop], 'error=provider_timeout')).toEqual([yen.id, large.id]);
    expect(await list([shop], 'escalated=1')).toEqual([yen.id]);
    expect(await list([shop], 'younger=5m&status=in_progress')).toEqual([small.id]);
    expect(await list([shop], 'older=5m')).toEqual([]);
    expect(await list([shop], 'outcome=succeeded')).toEqual([]);
    expect(await list([shop, other], 'status=in_progress')).toEqual([theirs.id, small.id]);

    for (const name of [small.id, small.paymentId, small.key, small.key.slice(0, 8), 'small-1', 'SMALL']) {
      expect(await list([shop], `q=${name}`), name).toEqual([small.id]);
      expect(await list([other], `q=${name}`), name).toEqual([]);
    }
    expect(await list([shop], `key=${large.key}`)).toEqual([large.id]);
    expect(await list([shop], 'reference=LARGE&q=SMALL')).toEqual([]);
    const counts = await countOperations(db, [shop]);
    expect(counts.unknown).toEqual({ count: 2, capped: false });
  });

  test('a refund that the bank returned stays in the lists that are sorted by amount', async () => {
    const shop = await createShop(db, randomUUID());
    const paid = await runningPayment(db, shop, { amountMinor: 900, reference: 'RETURNED-1' });
    const { id } = await returnedRefund(db, paid, 300);
    expect(await list([shop], 'sort=amount')).toEqual([paid.id, id]);
    expect(await list([shop], 'sort=amount&kind=refund.create&status=completed')).toEqual([id]);
    expect(await list([shop], 'sort=amount&kind=refund.create&status=unknown')).toEqual([]);
    expect(await list([shop], 'q=returned-1')).toEqual([id, paid.id]);
    expect(await list([shop], 'q=re_returned')).toEqual([id]);
  });

  test('the overview counts what is open and its money, by currency', async () => {
    const shop = await createShop(db, randomUUID());
    await runningPayment(db, shop, { amountMinor: 500 });
    const unknown = await runningPayment(db, shop, { amountMinor: 700 });
    const queued = await runningPayment(db, shop, { amountMinor: 30, currency: 'jpy' });
    await becomeUnknown(db, unknown);
    await becomeUnknown(db, queued, true);
    const { inProgress, unknown: open, queue } = await readOpenTotals(db, shop);
    expect(inProgress).toMatchObject({ count: 1, money: [{ amountMinor: 500, currency: 'eur' }] });
    expect(open.count).toBe(2);
    expect(open.money).toEqual([
      { amountMinor: 700, currency: 'eur' },
      { amountMinor: 30, currency: 'jpy' },
    ]);
    expect(queue).toMatchObject({ count: 1, money: [{ amountMinor: 30, currency: 'jpy' }] });
    const health = await readHealth(db, shop, 'sandbox');
    expect(health.reconciliation.overdue).toBe(1);
    expect(health.reconciliation.lagMs).toBeGreaterThanOrEqual(5_000);
    expect(await readOpenTotals(db, await createShop(db, randomUUID()))).toMatchObject({
      unknown: { count: 0, money: [], oldestAgeMs: null },
    });
  });

  test('each figure of the overview equals the number of rows in the list that it links to', async () => {
    const shop = await createShop(db, randomUUID());
    const other = await createShop(db, randomUUID());
    const paid = await runningPayment(db, shop);
    const unknown = await runningPayment(db, shop);
    const released = await runningPayment(db, shop);
    await becomeUnknown(db, unknown);
    await becomeUnknown(db, released);
    await releaseOperation(db, released);
    await db.keyMisuse.createMany({
      data: ['amountMinor', 'reference'].map((fields) => ({
        ...{ recordId: paid.id, tenantId: shop, kind: 'command', fields, times: 3 },
      })),
    });
    const long = { recordId: unknown.id, tenantId: shop, kind: 'command', fields: 'currency' };
    await db.keyMisuse.create({ data: { ...long, lastAt: new Date(Date.now() - 7_200_000) } });
    await runningPayment(db, other);

    const counted = async (tenantId: string) => {
      const { started, ...events } = await readFigures(db, tenantId, '1h');
      return Object.entries({ ...started, ...events }).map(([name, { count }]) => [name, count]);
    };
    const lists = {
      ...byOperation((name) => `kind=${name}&younger=1h`),
      becameUnknown: 'became_unknown=1h',
      resolved: 'resolved=1h',
      misused: 'misused=1h',
    };
    for (const tenantId of [shop, other]) {
      const listed = Object.entries(lists).map(async ([name, address]) => [
        name,
        (await list([tenantId], address)).length,
      ]);
      expect(await counted(tenantId)).toEqual(await Promise.all(listed));
    }
    expect(Object.fromEntries(await counted(shop))).toMatchObject({
      ...{ 'payment.create': 3, 'refund.create': 0, becameUnknown: 2, resolved: 1, misused: 1 },
    });
  });

  test('the export has every row once, amounts as decimals, and no full key', async () => {
    const shop = await createShop(db, randomUUID());
    const one = await runningPayment(db, shop, { amountMinor: 1_250, reference: '=cmd|calc' });
    const yen = await runningPayment(db, shop, { amountMinor: 80, currency: 'jpy' });
    const lines = exportOperations(db, {
      shops: new Map([[shop, 'acme']]),
      filter: readFilterQuery('sort=oldest'),
    });
    const [heading, first, second, ...rest] = (await read(lines)).trimEnd().split('\r\n');
    expect(heading).toContain('amount,currency');
    expect(first).toContain(`${one.id},payment.create,in_progress,'=cmd|calc,12.50,EUR,pending`);
    expect(second).toContain(`,80,JPY,`);
    expect(second).toContain(yen.id);
    expect(rest).toEqual([]);
    expect(first).not.toContain(one.key);
    expect(first).toMatch(/,\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });
});

async function read(lines: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const each of lines) text += each;
  return text;
}

describe('saved views', () => {
  test('belong to one person in one shop, and their names are unique there', async () => {
    const [tenantId, elsewhere] = [await createShop(db, randomUUID()), await createShop(db, randomUUID())];
    const people = await Promise.all(
      ['one', 'two'].map((name) =>
        db.user.create({ data: { id: randomUUID(), name, email: `${randomUUID()}@example.com` } }),
      ),
    );
    const [me, you] = people.map(({ id: userId }) => ({ tenantId, userId })) as [
      { tenantId: string; userId: string },
      { tenantId: string; userId: string },
    ];
    const saved = await saveView(db, me, { name: 'Mine', query: 'status=unknown&after=x&nonsense=1' });
    if (saved.kind !== 'saved') throw new Error(saved.kind);
    expect(saved.view.query).toBe('status=unknown');
    expect(await saveView(db, me, { name: 'Mine', query: '' })).toEqual({ kind: 'name_taken' });
    expect(await saveView(db, you, { name: 'Mine', query: '' })).toMatchObject({ kind: 'saved' });
    expect(await listViews(db, { ...me, tenantId: elsewhere })).toEqual([]);

    expect(await renameView(db, you, saved.view.id, 'Stolen')).toBeUndefined();
    expect(await deleteView(db, you, saved.view.id)).toBe(false);
    await saveView(db, me, { name: 'Other', query: '' });
    expect(await renameView(db, me, saved.view.id, 'Other')).toEqual({ kind: 'name_taken' });
    expect(await renameView(db, me, saved.view.id, 'Better')).toMatchObject({ kind: 'saved' });
    expect(await deleteView(db, me, saved.view.id)).toBe(true);
    expect((await listViews(db, me)).map(({ name }) => name)).toEqual(['Other']);
  });
});
