import { expect, test } from 'vitest';
import type { PaymentProvider } from '#payments/index.ts';
import { createRateLimit, rateLimited } from './rate-limit.ts';

/** Nothing really waits: each caller gets the time at which its slot would have come. */
function createSlots(perSecond: number) {
  let now = 0;
  let waited = 0;
  const waitForSlot = createRateLimit(perSecond, {
    nowMs: () => now,
    wait: async (ms) => {
      waited = ms;
    },
  });
  return {
    pass: (ms: number) => {
      now += ms;
    },
    next: async () => {
      waited = 0;
      await waitForSlot();
      return now + waited;
    },
  };
}

test('of many calls no more than the limit are let through in any second, evenly', async () => {
  const { next } = createSlots(100);
  const slots: number[] = [];
  for (let each = 0; each < 350; each++) slots.push(await next());
  for (const [index, at] of slots.entries()) {
    expect(slots.filter((other) => other >= at && other < at + 1_000).length).toBeLessThanOrEqual(100);
    if (index > 0) expect(at - (slots[index - 1] ?? 0)).toBeCloseTo(10);
  }
});

test('a single call does not wait, and idle time is not saved up', async () => {
  const { next, pass } = createSlots(10);
  expect(await next()).toBe(0);
  pass(3_600_000);
  expect([await next(), await next(), await next()]).toEqual([3_600_000, 3_600_100, 3_600_200]);
});

test('every call waits for a slot of its own, and the provider itself stays unlimited', async () => {
  const log: string[] = [];
  // That these are all of the port's is tested where they are decorated.
  const names = Object.keys(rateLimited({} as PaymentProvider, async () => undefined));
  expect(names).toContain('confirmIntent');
  const responding = (name: string) => async () => {
    log.push(name);
    return `${name} responded`;
  };
  const provider = Object.fromEntries(names.map((name) => [name, responding(name)]));
  const limited = rateLimited(provider as unknown as PaymentProvider, async () => {
    log.push('slot');
  }) as unknown as typeof provider;
  for (const name of names) expect(await limited[name]?.()).toBe(`${name} responded`);
  expect(log).toEqual(names.flatMap((name) => ['slot', name]));
  log.length = 0;
  await provider.confirmIntent?.();
  expect(log).toEqual(['confirmIntent']);
});
