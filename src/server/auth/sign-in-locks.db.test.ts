import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenDatabase, openTestDatabase } from '#run/testing/open-database.ts';
import { beginAttempt, clearAttempts, type Origin } from './sign-in-locks.ts';

let database: OpenDatabase;
let db: OpenDatabase['db'];
beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(() => database.close());

const newAddress = () => `${randomUUID()}@example.com`;
const home = { network: '198.51.100.4' };
const attempt = (who: string, from: Origin = home) => beginAttempt(db, 'password', who, from);
async function attempts(who: string, count: number): Promise<string[]> {
  const kinds: string[] = [];
  for (let n = 0; n < count; n++) kinds.push((await attempt(who)).kind);
  return kinds;
}

/** Moves all attempts and locks back in time. */
async function letPass(interval: string): Promise<void> {
  await db.$executeRaw`
    UPDATE sign_in_lock SET attempted_at = attempted_at - ${interval}::interval,
      locked_until = locked_until - ${interval}::interval`;
}

test('five attempts are free, the sixth is refused with the time to wait', async () => {
  const who = newAddress();
  expect(await attempts(who, 5)).toEqual(Array(5).fill('admitted'));
  const refused = await attempt(who);
  expect(refused).toMatchObject({ kind: 'locked' });
  expect((refused as { retryAfterSeconds: number }).retryAfterSeconds).toBeGreaterThan(55);
  expect((refused as { retryAfterSeconds: number }).retryAfterSeconds).toBeLessThanOrEqual(60);
});

test('each attempt after a lock locks for longer, up to a quarter of an hour', async () => {
  const who = newAddress();
  await attempts(who, 5);
  const seconds: number[] = [];
  for (let n = 0; n < 7; n++) {
    const refused = await attempt(who);
    if (refused.kind !== 'locked') throw new Error('It is not locked.');
    seconds.push(Math.round(refused.retryAfterSeconds / 10) * 10);
    await letPass('901 seconds');
    expect(await attempt(who)).toEqual({ kind: 'admitted' });
  }
  expect(seconds).toEqual([60, 120, 240, 480, 900, 900, 900]);
});

test('attempts while locked neither count nor lengthen the lock', async () => {
  const who = newAddress();
  await attempts(who, 5);
  expect(new Set(await attempts(who, 20))).toEqual(new Set(['locked']));
  await letPass('61 seconds');
  expect(await attempt(who)).toEqual({ kind: 'admitted' });
});

test('of forty attempts at once five are admitted, as of forty in a row', async () => {
  const who = newAddress();
  const all = await Promise.all(Array.from({ length: 40 }, () => attempt(who)));
  expect(all.filter(({ kind }) => kind === 'admitted')).toHaveLength(5);
});

test('a success resets the count, for that person and that factor only', async () => {
  const [one, other] = [newAddress(), newAddress()];
  await attempts(one, 5);
  await attempts(other, 5);
  await clearAttempts(db, 'second_factor', one);
  expect(await attempt(one)).toMatchObject({ kind: 'locked' });
  await clearAttempts(db, 'password', one);
  expect(await attempt(one)).toEqual({ kind: 'admitted' });
  expect(await attempt(other)).toMatchObject({ kind: 'locked' });
});

test('capitals and spaces around an address are the same address', async () => {
  const who = newAddress();
  await attempts(who, 5);
  expect(await attempt(` ${who.toUpperCase()} `)).toMatchObject({ kind: 'locked' });
});

test('after a day without attempts the count is reset, and the next sign-in deletes it', async () => {
  const [one, other] = [newAddress(), newAddress()];
  await attempts(one, 5);
  await letPass('25 hours');
  expect(await attempts(one, 5)).toEqual(Array(5).fill('admitted'));
  await letPass('25 hours');
  await clearAttempts(db, 'password', other);
  expect(await db.signInLock.count()).toBe(0);
});

describe('where attempts come from', () => {
  const elsewhere = { network: '203.0.113.9' };
  const browser = { device: 'a browser of theirs' };

  test('guessing from one network locks neither a known browser nor another network', async () => {
    const who = newAddress();
    await attempts(who, 6);
    expect(await attempt(who)).toMatchObject({ kind: 'locked' });
    expect(await attempt(who, browser)).toEqual({ kind: 'admitted' });
    expect(await attempt(who, elsewhere)).toEqual({ kind: 'admitted' });
  });

  test('from many networks twenty attempts at one account are admitted, and its known browsers are not locked', async () => {
    const who = newAddress();
    const kinds: string[] = [];
    for (let n = 0; n < 30; n++) kinds.push((await attempt(who, { network: `203.0.113.${n}` })).kind);
    expect(kinds.filter((kind) => kind === 'admitted')).toHaveLength(20);
    expect(await attempt(who, browser)).toEqual({ kind: 'admitted' });
  });

  test('a known browser has five attempts of its own, and its success gives others none', async () => {
    const who = newAddress();
    for (let n = 0; n < 20; n++) await attempt(who, { network: `203.0.113.${n}` });
    for (let n = 0; n < 5; n++) expect(await attempt(who, browser)).toEqual({ kind: 'admitted' });
    expect(await attempt(who, browser)).toMatchObject({ kind: 'locked' });
    await clearAttempts(db, 'password', who, browser);
    expect(await attempt(who, browser)).toEqual({ kind: 'admitted' });
    expect(await attempt(who, { network: '198.51.100.200' })).toMatchObject({ kind: 'locked' });
  });
});

test('no address is kept in the clear', async () => {
  const who = newAddress();
  await attempt(who);
  expect(JSON.stringify(await db.signInLock.findMany())).not.toContain(who);
});
