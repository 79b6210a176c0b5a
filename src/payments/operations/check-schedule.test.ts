import { describe, expect, test } from 'vitest';
import { type CheckSchedule, pauseAfter, scheduledChecks } from '#idempotency/index.ts';
import { createPaymentKind, createRefundKind } from '#payments/index.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const payment = createPaymentKind.definition.checks;
const refund = createRefundKind.definition.checks;

/** When each check is made, counted from the outcome becoming unknown. */
function checksOf(schedule: CheckSchedule, random = () => 0.5): number[] {
  const checks = [schedule.firstInMs];
  for (;;) {
    const pause = pauseAfter(schedule, checks.length, random);
    if (pause === undefined) return checks;
    checks.push((checks.at(-1) ?? 0) + pause);
  }
}

const between = (checks: readonly number[], from: number, to: number) =>
  checks.filter((at) => at >= from && at < to).length;

test('a payment is checked within seconds, then minutes, hours and days, and escalated after four days', () => {
  const checks = checksOf(payment);
  expect(checks[0]).toBeLessThanOrEqual(2 * second);
  expect(between(checks, 0, minute)).toBe(5);
  expect(between(checks, minute, hour)).toBe(5);
  expect(between(checks, hour, day)).toBe(2);
  expect(between(checks, day, 5 * day)).toBe(3);
  expect(checks).toHaveLength(scheduledChecks(payment));
});

test('a refund has a schedule of its own, which outlasts the ten working days a bank may take', () => {
  const checks = checksOf(refund);
  expect(checks[0]).toBeLessThanOrEqual(2 * second);
  expect(between(checks, 0, hour)).toBeLessThan(between(checksOf(payment), 0, hour));
  expect(checks.at(-1)).toBeGreaterThan(14 * day);
  expect(checks).toHaveLength(scheduledChecks(refund));
});

describe('jitter', () => {
  const pauses = (random: () => number) =>
    Array.from({ length: scheduledChecks(payment) - 1 }, (_, index) =>
      Number(pauseAfter(payment, index + 1, random)),
    );

  test('stays within a fifth either way of every pause', () => {
    const planned = pauses(() => 0.5);
    for (const [index, pause] of planned.entries()) {
      expect(pauses(() => 0)[index]).toBeCloseTo(0.8 * pause);
      expect(pauses(() => 1)[index]).toBeCloseTo(1.2 * pause);
    }
  });

  test('keeps operations that became unknown together from being checked together', () => {
    const together = Array.from({ length: 100 }, () => pauseAfter(payment, 1));
    expect(new Set(together).size).toBeGreaterThan(90);
  });
});
