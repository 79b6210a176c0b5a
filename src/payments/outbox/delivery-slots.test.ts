import { beforeEach, expect, test } from 'vitest';
import { createDeliverySlots, type DeliverySlots } from './delivery-slots.ts';

let clock: number;
let slots: DeliverySlots;
beforeEach(() => {
  clock = 1_000_000;
  slots = createDeliverySlots(() => clock);
});

/** How many of ten deliveries may begin; they stay under way. */
function begin(tenantId: string) {
  const entered = Array.from({ length: 10 }, () => slots.enter(tenantId));
  const under = entered.flatMap((one) => (one.kind === 'go' ? [one] : []));
  const refused = entered.find((one) => one.kind === 'full');
  const end = () => {
    for (const { leave } of under) leave();
  };
  return { count: under.length, because: refused?.because, end };
}

test('a tenant whose server is slow occupies two slots, and other tenants are not affected', () => {
  slots.took('slow', 9_000);
  expect(begin('slow')).toMatchObject({ count: 2, because: 'slow' });
  slots.took('fast', 20);
  expect(begin('fast')).toMatchObject({ count: 10, because: undefined });
});

test('a tenant that is not known occupies half of the slots until its first delivery has ended', () => {
  const first = begin('new');
  expect(first).toMatchObject({ count: 4, because: 'not_known' });
  slots.took('new', 20);
  first.end();
  expect(begin('new').count).toBe(10);
});

test('a delivery under way that is late makes its tenant slow, before it ends', () => {
  slots.took('turning', 20);
  const first = begin('turning');
  expect(first.count).toBe(10);
  clock += 1_001;
  expect(slots.enter('turning')).toEqual({ kind: 'full', because: 'slow' });
});

test('fast deliveries to one server do not hide that another of the tenant is slow', () => {
  slots.took('both', 9_000);
  slots.took('both', 20);
  expect(begin('both').count).toBe(2);
});

test('a delivery of more than a second is slow', () => {
  slots.took('fast', 1_000);
  slots.took('slow', 1_001);
  expect([begin('fast').count, begin('slow').count]).toEqual([10, 2]);
});

test.each([
  ['slow', 9_000, 2],
  ['fast', 20, 10],
])(
  'a tenant is %s for a minute after the last delivery that showed it, and then not known',
  (_, took, count) => {
    slots.took('tenant', took);
    clock += 59_999;
    const last = begin('tenant');
    expect(last.count).toBe(count);
    last.end();
    clock += 1;
    expect(begin('tenant')).toMatchObject({ count: 4, because: 'not_known' });
  },
);

test('a delivery that has ended leaves its slot, once', () => {
  slots.took('slow', 9_000);
  const one = slots.enter('slow');
  slots.enter('slow');
  if (one.kind !== 'go') throw new Error('There was a slot.');
  one.leave();
  one.leave();
  expect(begin('slow').count).toBe(1);
});
