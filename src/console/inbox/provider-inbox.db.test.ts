import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenDatabase, openTestDatabase } from '#run/testing/open-database.ts';
import { createShop, runningPayment } from '../testing/rows.ts';
import { findProviderEvent, inboxTypes, listProviderEvents } from './provider-inbox.ts';

let database: OpenDatabase;
let db: OpenDatabase['db'];
const [small, large] = [randomUUID(), randomUUID()];

/** A small shop that shares a provider with a large one. Its five events are the oldest of thirty thousand. */
beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
  await db.$executeRaw`
    INSERT INTO provider_event (provider, event_id, type, operation_id, tenant_id, payload, received_at)
    SELECT 'stripe', 'evt_' || n, CASE WHEN n % 3 = 0 THEN 'charge.updated' ELSE 'payment_intent.succeeded' END,
      gen_random_uuid(), CASE WHEN n <= 5 THEN ${small} WHEN n % 1000 = 0 THEN NULL ELSE ${large} END,
      '{"id":"evt"}', clock_timestamp() - interval '1 second' * (30000 - n)
    FROM generate_series(1, 30000) AS n`;
  await db.$executeRaw`ANALYZE provider_event`;
});
afterAll(() => database.close());

const idsOf = ({ events }: Awaited<ReturnType<typeof listProviderEvents>>) =>
  events.map(({ eventId }) => eventId);

describe('the inbox of one shop', () => {
  test('has its own events and those without a tenant, newest first, page by page', async () => {
    const shown: string[] = [];
    let before: string | undefined;
    do {
      const page = await listProviderEvents(db, small, {}, { limit: 10, before });
      shown.push(...idsOf(page));
      before = page.next ?? undefined;
    } while (before);
    const withoutTenant = Array.from({ length: 30 }, (_, n) => `evt_${(30 - n) * 1000}`);
    expect(shown).toEqual([...withoutTenant, ...[5, 4, 3, 2, 1].map((n) => `evt_${n}`)]);
  });

  test('shows neither operation nor payload of an event without a tenant', async () => {
    const { events } = await listProviderEvents(db, small, {}, { limit: 40 });
    const [withoutTenant, own] = [events[0], events.at(-1)];
    expect(withoutTenant?.operationId).toBeNull();
    expect(own?.operationId).not.toBeNull();
    expect(await findProviderEvent(db, small, withoutTenant?.id ?? '')).toMatchObject({ payload: null });
    expect(await findProviderEvent(db, small, own?.id ?? '')).toMatchObject({ payload: { id: 'evt' } });
    expect(await findProviderEvent(db, large, own?.id ?? '')).toBeUndefined();
  });

  test('names the kind of the operation, for events of the shop only', async () => {
    const shop = await createShop(db, randomUUID());
    const { id: operationId } = await runningPayment(db, shop);
    const payload = { id: 'evt' };
    const event = { provider: 'stripe', type: 'charge.updated', operationId, payload };
    await db.providerEvent.create({ data: { ...event, eventId: 'evt_own', tenantId: shop } });
    await db.providerEvent.create({ data: { ...event, eventId: 'evt_without_tenant' } });
    const { events } = await listProviderEvents(db, shop, {}, { limit: 2 });
    expect(events.map(({ eventId, operation }) => [eventId, operation])).toEqual([
      ['evt_without_tenant', null],
      ['evt_own', 'payment.create'],
    ]);
    for (const { id, operation } of events) {
      expect(await findProviderEvent(db, shop, id)).toMatchObject({ operation });
    }
    await db.providerEvent.deleteMany({ where: { operationId } });
  });

  test('begins after an event of its own; that of another shop is no position, as one that does not exist', async () => {
    const idOf = async (eventId: string) =>
      (await db.providerEvent.findFirstOrThrow({ where: { eventId } })).id;
    const pageAfter = async (before: string) =>
      idsOf(await listProviderEvents(db, small, {}, { limit: 2, before }));
    expect(await pageAfter(await idOf('evt_3'))).toEqual(['evt_2', 'evt_1']);
    expect(await pageAfter(await idOf('evt_1000'))).toEqual(['evt_5', 'evt_4']);
    expect(await pageAfter(await idOf('evt_2500'))).toEqual([]);
    expect(await pageAfter(randomUUID())).toEqual([]);
  });

  test('is filtered by type and status', async () => {
    const page = { limit: 40 };
    const charges = await listProviderEvents(db, small, { type: 'charge.updated' }, page);
    expect(idsOf(charges).at(-1)).toBe('evt_3');
    expect(charges.events).toHaveLength(11);
    expect(idsOf(await listProviderEvents(db, small, { status: 'ignored' }, page))).toEqual([]);
    expect(await inboxTypes(db, small)).toEqual(['charge.updated', 'payment_intent.succeeded']);
    expect(await inboxTypes(db, randomUUID())).toEqual(['charge.updated', 'payment_intent.succeeded']);
  });

  test('reads only the rows that it shows', async () => {
    // What this transaction has read: sequential scans, and rows fetched by index scans.
    const [read] = await db.$transaction(async (tx) => {
      await listProviderEvents(tx, small, {}, { limit: 50 });
      await listProviderEvents(tx, small, { type: 'charge.updated' }, { limit: 50 });
      await inboxTypes(tx, small);
      await inboxTypes(tx, large);
      return tx.$queryRaw<{ scans: number; rows: number }[]>`
        SELECT seq_scan::int AS scans, idx_tup_fetch::int AS rows
        FROM pg_stat_xact_user_tables WHERE relname = 'provider_event'`;
    });
    expect(read?.scans).toBe(0);
    expect(read?.rows).toBeGreaterThan(40);
    expect(read?.rows).toBeLessThan(1_000);
  });
});
