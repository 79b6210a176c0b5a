import { expect, test } from 'vitest';
import type { PaymentProvider } from '#payments/index.ts';
import { createRateLimit, inTurn } from './rate-limit.ts';

/** Nobody waits in earnest: each is told when its turn would have come. */
function createTurns(perSecond: number) {
  let now = 0;
  let waited = 0;
  const turn = createRateLimit(perSecond, {
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
      await turn();
      return now + waited;
    },
  };
}

test('of a crowd no more than the limit are let through in any second, evenly', async () => {
  const { next } = createTurns(100);
  const turns: number[] = [];
  for (let each = 0; each < 350; each++) turns.push(await next());
  for (const [index, at] of turns.entries()) {
    expect(turns.filter((other) => other >= at && other < at + 1_000).length).toBeLessThanOrEqual(100);
    if (index > 0) expect(at - (turns[index - 1] ?? 0)).toBeCloseTo(10);
  }
});

test('whoever comes alone does not wait, and a quiet hour saves up nothing for a crowd', async () => {
  const { next, pass } = createTurns(10);
  expect(await next()).toBe(0);
  pass(3_600_000);
  expect([await next(), await next(), await next()]).toEqual([3_600_000, 3_600_100, 3_600_200]);
});

test('every question to the provider takes a turn of its own before it is asked, and the provider it came from none', async () => {
  const told: string[] = [];
  const names = [
    ...(['createIntent', 'confirmIntent', 'retrieveIntent', 'cancelIntent'] as const),
    ...(['createRefund', 'findRefund', 'findCharges', 'ping'] as const),
  ];
  const answering = (name: string) => async (asked: string) => {
    told.push(`${name} ${asked}`);
    return `${name} answered`;
  };
  const provider = Object.fromEntries(names.map((name) => [name, answering(name)]));
  const waiting = inTurn(provider as unknown as PaymentProvider, async () => {
    told.push('turn');
  }) as unknown as typeof provider;
  expect(Object.keys(waiting).toSorted()).toEqual(names.toSorted());
  for (const name of names) expect(await waiting[name]?.('this')).toBe(`${name} answered`);
  expect(told).toEqual(names.flatMap((name) => ['turn', `${name} this`]));
  told.length = 0;
  await provider.confirmIntent?.('that');
  expect(told).toEqual(['confirmIntent that']);
});
