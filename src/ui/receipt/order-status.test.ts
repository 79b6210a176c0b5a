import { describe, expect, it } from 'vitest';
import { mayBePaid, type OrderFacts, orderStatusOf } from './order-status.ts';

type Status = OrderFacts['payments'][number]['status'];

function order(statuses: Status[], over: Partial<OrderFacts> = {}): OrderFacts {
  return {
    total: { amountMinor: 1450 },
    cancelledAt: null,
    payments: statuses.map((status) => ({ status })),
    refunds: [],
    ...over,
  };
}

const cancelled = { cancelledAt: '2026-11-16T06:00:00.000Z' };
const refund = (amountMinor: number, status: 'pending' | 'succeeded' = 'succeeded') => ({
  status,
  amount: { amountMinor },
});

describe('the status of an order', () => {
  it.each<[Status[], string]>([
    [[], 'open'],
    [['released'], 'open'],
    [['declined'], 'declined'],
    [['declined', 'pending'], 'pending'],
    [['declined', 'released', 'succeeded'], 'paid'],
    [['declined', 'under_review'], 'under_review'],
    [['under_review', 'pending'], 'pending'],
    [['under_review', 'succeeded'], 'overpaid'],
    [['sent_back'], 'open'],
    [['kept'], 'kept'],
    [['declined', 'kept'], 'kept'],
    [['kept', 'pending'], 'pending'],
    [['kept', 'under_review'], 'under_review'],
    [['kept', 'succeeded'], 'paid'],
  ])('%j is %s', (statuses, status) => {
    expect(orderStatusOf(order(statuses))).toBe(status);
  });

  it('is not cancelled while the outcome of a payment is unknown or under review, nor after it succeeded', () => {
    expect(orderStatusOf(order(['pending'], cancelled))).toBe('pending_cancelled');
    expect(orderStatusOf(order(['succeeded'], cancelled))).toBe('paid_late');
    expect(orderStatusOf(order(['under_review'], cancelled))).toBe('under_review_cancelled');
    expect(orderStatusOf(order(['declined'], cancelled))).toBe('cancelled');
    expect(orderStatusOf(order(['kept'], cancelled))).toBe('cancelled');
  });

  it('may be paid only while nothing was charged that the shop has', () => {
    for (const status of ['kept', 'under_review', 'succeeded'] as const) {
      expect(mayBePaid(orderStatusOf(order(['declined', status])))).toBe(false);
    }
    for (const status of ['sent_back', 'released', 'pending'] as const) {
      expect(mayBePaid(orderStatusOf(order(['declined', status])))).toBe(true);
    }
  });

  it('is refunded only when the refunds that succeeded make up the whole amount', () => {
    expect(orderStatusOf(order(['succeeded'], { refunds: [refund(1000)] }))).toBe('paid');
    expect(orderStatusOf(order(['succeeded'], { refunds: [refund(1000), refund(450, 'pending')] }))).toBe(
      'paid',
    );
    expect(orderStatusOf(order(['succeeded'], { refunds: [refund(1000), refund(450)] }))).toBe('refunded');
  });
});
