import { expect, test } from 'vitest';
import { createPaymentOperation, createRefundOperation } from '#payments/index.ts';
import { pauseAfter, scheduledChecks } from '#reconciliation/index.ts';
import { holds, type Series } from './testing/holding.ts';
import { alerts } from './testing/queries.ts';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const payment = createPaymentOperation.name;
const refund = createRefundOperation.name;

/** Those rules about money that are asked of gauges; the counters' `increase` needs a Prometheus with a memory. */
const moneyAlerts = alerts.filter(({ expr }) => /paidonce_(unknown|charges)_/.test(expr));

interface Unknown {
  readonly count: number;
  readonly ageSeconds: number;
}
const none: Unknown = { count: 0, ageSeconds: 0 };

/** What /api/metrics would tell: both operations always, also when they are zero. */
function firing(told: { payments?: Unknown; refunds?: Unknown; difference?: number }): string[] {
  const unknown = { [payment]: told.payments ?? none, [refund]: told.refunds ?? none };
  const series: Series[] = Object.entries(unknown).flatMap(([operation, { count, ageSeconds }]) => [
    { name: 'paidonce_unknown_operations', labels: { operation }, value: count },
    { name: 'paidonce_unknown_oldest_age_seconds', labels: { operation }, value: ageSeconds },
    { name: 'paidonce_unknown_amount_minor', labels: { operation, currency: 'eur' }, value: count * 1_000 },
    { name: 'paidonce_unknown_amount_minor', labels: { operation, currency: 'usd' }, value: 0 },
  ]);
  series.push({ name: 'paidonce_charges_minus_payments', labels: {}, value: told.difference ?? 0 });
  return moneyAlerts.filter(({ expr }) => holds(expr, series)).map(({ title }) => title);
}

test('nothing unknown and ledgers that agree alert nobody', () => {
  expect(moneyAlerts.length).toBeGreaterThanOrEqual(5);
  expect(firing({})).toEqual([]);
});

test('a refund that its bank takes fourteen days over opens no ticket and pages nobody', () => {
  for (const ageSeconds of [10 * minute, 2 * hour, day, 14 * day]) {
    expect(firing({ refunds: { count: 3, ageSeconds } })).toEqual([]);
  }
  expect(firing({ refunds: { count: 1, ageSeconds: 14 * day + 1 } })).toEqual(['PaidonceRefundTooOld']);
});

test('a refund is given the time that its schedule gives it before a person is told', () => {
  const pauses = Array.from({ length: scheduledChecks(createRefundOperation) - 1 }, (_, checks) =>
    pauseAfter(createRefundOperation, checks + 1, () => 0.5),
  );
  const patience = pauses.reduce<number>((sum, pause) => sum + (pause ?? 0), 0) / 1_000;
  expect(firing({ refunds: { count: 1, ageSeconds: Math.floor(patience / day) * day } })).toEqual([]);
  expect(firing({ refunds: { count: 1, ageSeconds: patience } })).toEqual(['PaidonceRefundTooOld']);
});

test('a stream of payments that are unknown for seconds each opens no ticket, one that is unknown for five minutes does', () => {
  expect(firing({ payments: { count: 20, ageSeconds: 30 } })).toEqual([]);
  expect(firing({ payments: { count: 20, ageSeconds: 5 * minute } })).toEqual([]);
  expect(firing({ payments: { count: 1, ageSeconds: 5 * minute + 1 } })).toEqual(['PaidonceUnknownMoney']);
  // An old refund does not make young payments old.
  expect(
    firing({ payments: { count: 20, ageSeconds: 30 }, refunds: { count: 1, ageSeconds: 3 * day } }),
  ).toEqual([]);
});

test('nobody is paged for a shopper who walked away from their bank before the look that fences the payment', () => {
  let seconds = createPaymentOperation.reconcileInMs / 1_000;
  // The latest that the schedule's jitter allows: the first look after the shopper's hour.
  for (let checks = 1; seconds < hour; checks++) {
    seconds += (pauseAfter(createPaymentOperation, checks, () => 1) ?? Number.NaN) / 1_000;
  }
  expect(firing({ payments: { count: 1, ageSeconds: seconds } })).toEqual(['PaidonceUnknownMoney']);
  expect(firing({ payments: { count: 1, ageSeconds: 2 * hour + 1 } })).toContain('PaidonceUnknownTooOld');
});

test('a charge that the books do not have pages, whatever refunds are unknown', () => {
  const refunds = { count: 5, ageSeconds: 3 * day };
  expect(firing({ refunds, difference: 1 })).toEqual(['PaidonceChargesWithoutPayments']);
});

test('an unknown payment explains one charge, not two, and no charge that is missing', () => {
  const payments = { count: 1, ageSeconds: minute };
  expect(firing({ payments, difference: 1 })).toEqual([]);
  expect(firing({ payments, difference: 2 })).toEqual(['PaidonceChargesWithoutPayments']);
  expect(firing({ payments, difference: -1 })).toEqual(['PaidonceChargesWithoutPayments']);
});
