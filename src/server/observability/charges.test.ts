import { expect, test } from 'vitest';
import { differenceOf } from './charges.ts';

const part = (name: string, count: number, digest = count) => ({ part: name, count, digest });

test.each([
  ['nothing', [], [], 0, 0],
  ['the same', [part('00', 2)], [part('00', 2)], 0, 0],
  ['a charge more', [part('00', 3), part('ff', 1)], [part('00', 2), part('ff', 1)], 1, 0],
  ['a payment in a part without charges', [], [part('00', 1)], 0, 1],
  ['one of each, in two parts', [part('00', 1)], [part('ff', 1)], 1, 1],
  ['one of each, in one part', [part('00', 2, 7)], [part('00', 2, 9)], 1, 1],
])('%s', (_, charges, payments, chargesWithoutPayment, paymentsWithoutCharge) => {
  expect(differenceOf(charges, payments)).toEqual({ chargesWithoutPayment, paymentsWithoutCharge });
});
