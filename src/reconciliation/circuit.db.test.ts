import { randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PrismaClient } from '#prisma';
import { createTestDatabase, type TestDatabase } from '#run/testing/database.ts';
import { createCircuit, readCircuit } from './circuit.ts';

let database: TestDatabase;
let clients: readonly [PrismaClient, PrismaClient];
beforeAll(async () => {
  database = await createTestDatabase({ template: 'app' });
  const open = () => new PrismaClient({ adapter: new PrismaPg({ connectionString: database.url, max: 5 }) });
  clients = [open(), open()];
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.$disconnect()));
  await database.drop();
});

/** A provider that was not called yet, and six workers in two processes. */
function createWorkers() {
  const provider = `provider-${randomUUID()}`;
  const workers = Array.from({ length: 6 }, (_, n) => createCircuit(clients[n % 2 ? 1 : 0], provider));
  const [one = createCircuit(clients[0], provider)] = workers;
  const fail = async (times: number) => {
    for (let each = 0; each < times; each++) await workers[each % workers.length]?.failed();
  };
  /** Moves the circuit's times back, as if this much time had passed. */
  const pass = (ms: number) => clients[0].$executeRaw`
    UPDATE provider_circuit SET
      open_until = open_until - ${ms}::int * interval '1 millisecond',
      paused_until = paused_until - ${ms}::int * interval '1 millisecond'
    WHERE provider = ${provider}`;
  const permits = async () => Promise.all(workers.map((worker) => worker.permits()));
  return { provider, one, workers, fail, pass, permits };
}

const all = Array(6).fill('all');
const none = Array(6).fill('none');
const oneOfAll = [...none.slice(1), 'one'];

describe('the circuit', () => {
  test('opens for all processes at the fifth failure in a row, whichever process met them', async () => {
    const { provider, fail, permits } = createWorkers();
    await fail(4);
    expect(await permits()).toEqual(all);
    await fail(1);
    expect(await permits()).toEqual(none);
    expect(await readCircuit(clients[1], provider)).toMatchObject({ open: true, failures: 5 });
  });

  test('counts only failures in a row: a success starts the count again', async () => {
    const { one, fail, permits } = createWorkers();
    await fail(4);
    expect(await one.succeeded()).toBe('was_closed');
    await fail(4);
    expect(await permits()).toEqual(all);
  });

  test('half open: one worker of all processes may make one call, and the next only after another pause', async () => {
    const { fail, pass, permits } = createWorkers();
    await fail(5);
    await pass(5_000);
    expect((await permits()).toSorted()).toEqual(oneOfAll);
    expect(await permits()).toEqual(none);
    await pass(5_000);
    expect((await permits()).toSorted()).toEqual(oneOfAll);
  });

  test('stays open when that call fails, and closes for all when it succeeds, which one worker learns', async () => {
    const { workers, fail, pass, permits } = createWorkers();
    await fail(5);
    await pass(5_000);
    await permits();
    await fail(1);
    expect(await permits()).toEqual(none);
    const results = await Promise.all(workers.map((worker) => worker.succeeded()));
    expect(results.filter((result) => result === 'closed')).toHaveLength(1);
    expect(await permits()).toEqual(all);
  });
});

describe('a provider that asks for a pause', () => {
  test('is shown with the moment until when, by the database’s clock, and without it as soon as it is over', async () => {
    const { provider, one, pass } = createWorkers();
    expect(await readCircuit(clients[1], provider)).toMatchObject({ pausedUntil: null });
    await one.pause(60_000);
    const { pausedUntil } = await readCircuit(clients[1], provider);
    const [left] = await clients[0].$queryRaw<{ ms: number }[]>`
      SELECT (extract(epoch FROM ${pausedUntil}::timestamptz - clock_timestamp()) * 1000)::float8 AS ms`;
    expect(left?.ms).toBeGreaterThan(30_000);
    expect(left?.ms).toBeLessThanOrEqual(60_000);
    await pass(60_000);
    expect(await readCircuit(clients[1], provider)).toMatchObject({ open: false, pausedUntil: null });
  });

  test('is not called by any process until then, without a failure having been counted', async () => {
    const { provider, one, pass, permits } = createWorkers();
    await one.pause(60_000);
    expect(await permits()).toEqual(none);
    expect(await readCircuit(clients[1], provider)).toMatchObject({ open: false, failures: 0 });
    await pass(60_000);
    expect(await permits()).toEqual(all);
  });

  test('has the longest pause it asked for, which no success of another call shortens', async () => {
    const { one, workers, fail, pass, permits } = createWorkers();
    await Promise.all([60_000, 120_000, 30_000].map((ms, n) => workers[n]?.pause(ms)));
    await one.succeeded();
    await pass(60_000);
    expect(await permits()).toEqual(none);
    await fail(5);
    expect(await one.succeeded()).toBe('closed');
    expect(await permits()).toEqual(none);
    await pass(60_000);
    expect(await permits()).toEqual(all);
  });

  test('cannot pause us for a day', async () => {
    const { one, pass, permits } = createWorkers();
    await one.pause(24 * 3_600_000);
    await pass(5 * 60_000);
    expect(await permits()).toEqual(all);
  });
});
