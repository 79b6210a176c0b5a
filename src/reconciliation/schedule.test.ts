import { describe, expect, test } from 'vitest';
import { createPaymentOperation, createRefundOperation } from '#payments/index.ts';
import { pauseAfter, scheduledChecks } from './schedule.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** When each look is made, counted from the outcome becoming unknown. */
function looksOf(operation: typeof createPaymentOperation, random = () => 0.5): number[] {
  const looks = [operation.reconcileInMs];
  for (;;) {
    const pause = pauseAfter(operation, looks.length, random);
    if (pause === undefined) return looks;
    looks.push((looks.at(-1) ?? 0) + pause);
  }
}

const between = (looks: readonly number[], from: number, to: number) =>
  looks.filter((at) => at >= from && at < to).length;

test('a payment is looked into within seconds, then minutes, hours and days, and after four days by a person', () => {
  const looks = looksOf(createPaymentOperation);
  expect(looks[0]).toBeLessThanOrEqual(2 * second);
  expect(between(looks, 0, minute)).toBe(5);
  expect(between(looks, minute, hour)).toBe(5);
  expect(between(looks, hour, day)).toBe(2);
  expect(between(looks, day, 5 * day)).toBe(3);
  expect(looks).toHaveLength(scheduledChecks(createPaymentOperation));
});

test('a refund has a schedule of its own, which outlasts the ten working days a bank may take', () => {
  const looks = looksOf(createRefundOperation);
  expect(looks[0]).toBeLessThanOrEqual(2 * second);
  expect(between(looks, 0, hour)).toBeLessThan(between(looksOf(createPaymentOperation), 0, hour));
  expect(looks.at(-1)).toBeGreaterThan(14 * day);
  expect(looks).toHaveLength(scheduledChecks(createRefundOperation));
});

describe('jitter', () => {
  const pauses = (random: () => number) =>
    Array.from({ length: scheduledChecks(createPaymentOperation) - 1 }, (_, index) =>
      Number(pauseAfter(createPaymentOperation, index + 1, random)),
    );

  test('stays within a fifth either way of every pause', () => {
    const planned = pauses(() => 0.5);
    for (const [index, pause] of planned.entries()) {
      expect(pauses(() => 0)[index]).toBeCloseTo(0.8 * pause);
      expect(pauses(() => 1)[index]).toBeCloseTo(1.2 * pause);
    }
  });

  test('keeps operations that became unknown together from being asked about together', () => {
    const together = Array.from({ length: 100 }, () => pauseAfter(createPaymentOperation, 1));
    expect(new Set(together).size).toBeGreaterThan(90);
  });
});
