import { expect, test } from 'vitest';
import { pauseAfter, scheduledChecks } from '#idempotency/index.ts';
import { actionTimeoutMs, createPaymentKind, createRefundKind, operationKinds } from '#payments/index.ts';
import { holds, type Series } from './testing/evaluate-rule.ts';
import { alerts } from './testing/queries.ts';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const { checks: paymentChecks } = createPaymentKind.definition;
const { name: refund, checks: refundChecks } = createRefundKind.definition;

/** The rules about money that use gauges only; `increase` of counters needs a Prometheus with a history. */
const moneyAlerts = alerts.filter(({ expr }) => /paidonce_(unknown|charges|payments)_/.test(expr));

interface Unknown {
  readonly count: number;
  readonly ageSeconds: number;
}
const none: Unknown = { count: 0, ageSeconds: 0 };

/** The operations that charge. */
const charging = operationKinds
  .filter(({ metrics }) => metrics.duplicateCharge !== null)
  .map(({ definition }) => definition.name);

/** The alerts that fire for these values. Every operation always has series, also when they are zero. */
function firing(
  values: { payments?: Unknown; refunds?: Unknown; unpaid?: number; uncharged?: number },
  payment: string = createPaymentKind.definition.name,
): string[] {
  const unknown = {
    ...Object.fromEntries(charging.map((name) => [name, none])),
    [payment]: values.payments ?? none,
    [refund]: values.refunds ?? none,
  };
  const series: Series[] = Object.entries(unknown).flatMap(([operation, { count, ageSeconds }]) => [
    { name: 'paidonce_unknown_operations', labels: { operation }, value: count },
    { name: 'paidonce_unknown_oldest_age_seconds', labels: { operation }, value: ageSeconds },
    { name: 'paidonce_unknown_amount_minor', labels: { operation, currency: 'eur' }, value: count * 1_000 },
    { name: 'paidonce_unknown_amount_minor', labels: { operation, currency: 'usd' }, value: 0 },
  ]);
  series.push({ name: 'paidonce_charges_without_payment', labels: {}, value: values.unpaid ?? 0 });
  series.push({ name: 'paidonce_payments_without_charge', labels: {}, value: values.uncharged ?? 0 });
  return moneyAlerts.filter(({ expr }) => holds(expr, series)).map(({ title }) => title);
}

test('nothing unknown and ledgers that agree fire no alert', () => {
  expect(moneyAlerts.length).toBeGreaterThanOrEqual(5);
  expect(firing({})).toEqual([]);
});

test('a refund that its bank takes fourteen days over opens no ticket and no page', () => {
  for (const ageSeconds of [10 * minute, 2 * hour, day, 14 * day]) {
    expect(firing({ refunds: { count: 3, ageSeconds } })).toEqual([]);
  }
  expect(firing({ refunds: { count: 1, ageSeconds: 14 * day + 1 } })).toEqual(['PaidonceRefundTooOld']);
});

test('no alert fires for a refund before its scheduled checks are used up', () => {
  const pauses = Array.from({ length: scheduledChecks(refundChecks) - 1 }, (_, checks) =>
    pauseAfter(refundChecks, checks + 1, () => 0.5),
  );
  const scheduleSeconds = pauses.reduce<number>((sum, pause) => sum + (pause ?? 0), 0) / 1_000;
  expect(firing({ refunds: { count: 1, ageSeconds: Math.floor(scheduleSeconds / day) * day } })).toEqual([]);
  expect(firing({ refunds: { count: 1, ageSeconds: scheduleSeconds } })).toEqual(['PaidonceRefundTooOld']);
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

test('a shopper who walked away from their bank causes no page before the check that cancels the payment', () => {
  let seconds = paymentChecks.firstInMs / 1_000;
  // The latest that the schedule's jitter allows: the first check after the shopper's time is over.
  for (let checks = 1; seconds < actionTimeoutMs / 1_000; checks++) {
    seconds += (pauseAfter(paymentChecks, checks, () => 1) ?? Number.NaN) / 1_000;
  }
  expect(firing({ payments: { count: 1, ageSeconds: seconds } })).toEqual(['PaidonceUnknownMoney']);
  expect(firing({ payments: { count: 1, ageSeconds: 2 * hour + 1 } })).toContain('PaidonceUnknownTooOld');
});

test.each(charging)('the rules about payments watch %s', (operation) => {
  expect(charging.length).toBeGreaterThan(1);
  const old = { count: 1, ageSeconds: 2 * hour + 1 };
  expect(firing({ payments: old }, operation)).toEqual(['PaidonceUnknownMoney', 'PaidonceUnknownTooOld']);
  // An unknown payment explains one charge.
  const young = { count: 1, ageSeconds: 1 };
  expect(firing({ payments: young, unpaid: 1 }, operation)).toEqual([]);
  expect(firing({ payments: young, unpaid: 2 }, operation)).toEqual(['PaidonceChargesWithoutPayments']);
});

test('a charge that is not booked pages, however many refunds are unknown', () => {
  const refunds = { count: 5, ageSeconds: 3 * day };
  expect(firing({ refunds, unpaid: 1 })).toEqual(['PaidonceChargesWithoutPayments']);
});

test('an unknown payment explains one charge, not two, and no charge that is missing', () => {
  const payments = { count: 1, ageSeconds: minute };
  expect(firing({ payments, unpaid: 1 })).toEqual([]);
  expect(firing({ payments, unpaid: 2 })).toEqual(['PaidonceChargesWithoutPayments']);
  expect(firing({ payments, uncharged: 1 })).toEqual(['PaidonceChargesWithoutPayments']);
});

test('an operation of any kind pages when its scheduled checks are used up', () => {
  const exhausted = alerts.filter(({ expr }) => expr.includes('paidonce_reconcile_exhausted_total'));
  expect(exhausted.map(({ title }) => title)).toEqual(['PaidonceReconcileExhausted']);
  expect(exhausted[0]?.expr).not.toContain('operation=');
});

test('an alert about one operation names an operation that there is', () => {
  const named = alerts.flatMap(({ expr }) =>
    [...expr.matchAll(/operation="([^"]*)"/g)].map(([, name]) => name),
  );
  expect(named.length).toBeGreaterThan(0);
  const names: string[] = operationKinds.map(({ definition }) => definition.name);
  expect(named.filter((name) => !names.includes(name ?? ''))).toEqual([]);
});
