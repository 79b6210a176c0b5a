import { describe, expect, test } from 'vitest';
import { cutPoints } from '#faults/index.ts';
import { isKept, promiseOf } from './expectations.ts';
import { findScenario, scenarios } from './scenarios.ts';
import { seeded } from './seed.ts';
import { arrange, type TraceEvent } from './trace.ts';

describe('the scenarios', () => {
  test('have each a name of their own, fit for an address', () => {
    const names = scenarios.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9-]+$/);
  });

  test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
    '%s promises at most one charge in the protected lane, wherever its fault strikes',
    (_, scenario) => {
      for (const cut of [undefined, ...cutPoints]) {
        expect(promiseOf(scenario, 'protected', cut).charges).toBe(1);
      }
    },
  );

  test('a naive server that is killed before the charge charges once, and after it twice', () => {
    const killed = findScenario('server-killed');
    if (!killed) throw new Error('There is no such scenario.');
    const charges = cutPoints.map((cut) => promiseOf(killed, 'naive', cut).charges);
    expect(charges).toEqual([1, 1, 1, 1, 2, 2, 2]);
  });
});

test('a promise of a range is kept by every number within it', () => {
  expect([1, 2, 3, 4].map((count) => isKept({ charges: [2, 3] }, count))).toEqual([false, true, true, false]);
});

test('a seed decides amounts and pauses', () => {
  const values = (seed: number) => {
    const { amountMinor, pauseMs } = seeded(seed);
    return [amountMinor, pauseMs(100), pauseMs(100)];
  };
  expect(values(7)).toEqual(values(7));
  expect(values(7)).not.toEqual(values(8));
});

describe('the trace', () => {
  const event = (atMs: number, text: string): TraceEvent => ({
    ...{ atMs, text, from: 'client', to: 'app', kind: 'request', times: 1 },
  });

  test('is in the order of time', () => {
    expect(arrange([event(5, 'b'), event(1, 'a')]).map(({ text }) => text)).toEqual(['a', 'b']);
  });

  test('draws a response of the provider after its request, also within one millisecond', () => {
    const response: TraceEvent = { ...event(1, 'response'), from: 'provider', to: 'app', kind: 'response' };
    const request: TraceEvent = { ...event(1, 'request'), from: 'app', to: 'provider' };
    expect(arrange([response, request]).map(({ text }) => text)).toEqual(['request', 'response']);
  });

  test('draws the equal events of a storm as one, and none is lost', () => {
    const storm = Array.from({ length: 200 }, (_, index) =>
      event(index, index % 2 === 0 ? 'sent' : 'responded'),
    );
    expect(arrange(storm).map(({ text, times }) => [text, times])).toEqual([
      ['sent', 100],
      ['responded', 100],
    ]);
  });
});
