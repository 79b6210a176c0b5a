import { describe, expect, it } from 'vitest';
import { type OrderStanding, standingOf } from './order-status.ts';

type Status = OrderStanding['attempts'][number]['status'];

function order(statuses: Status[], over: Partial<OrderStanding> = {}): OrderStanding {
  return {
    total: { amountMinor: 1450 },
    cancelledAt: null,
    attempts: statuses.map((status) => ({ status })),
    refunds: [],
    ...over,
  };
}

const cancelled = { cancelledAt: '2026-11-16T06:00:00.000Z' };
const refund = (amountMinor: number, status: 'pending' | 'succeeded' = 'succeeded') => ({
  status,
  amount: { amountMinor },
});

describe('how an order stands', () => {
  it.each<[Status[], string]>([
    [[], 'open'],
    [['released'], 'open'],
    [['declined'], 'declined'],
    [['declined', 'pending'], 'pending'],
    [['declined', 'released', 'succeeded'], 'paid'],
  ])('%j is %s', (statuses, standing) => {
    expect(standingOf(order(statuses))).toBe(standing);
  });

  it('is never cancelled while the bank has not said whether it was charged', () => {
    expect(standingOf(order(['pending'], cancelled))).toBe('pending_cancelled');
    expect(standingOf(order(['succeeded'], cancelled))).toBe('paid_late');
    expect(standingOf(order(['declined'], cancelled))).toBe('cancelled');
  });

  it('is refunded when all of it was sent back, and not before', () => {
    expect(standingOf(order(['succeeded'], { refunds: [refund(1000)] }))).toBe('paid');
    expect(standingOf(order(['succeeded'], { refunds: [refund(1000), refund(450, 'pending')] }))).toBe(
      'paid',
    );
    expect(standingOf(order(['succeeded'], { refunds: [refund(1000), refund(450)] }))).toBe('refunded');
  });
});
