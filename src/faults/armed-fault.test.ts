import { expect, test } from 'vitest';
import { ArmedFault } from './armed-fault.ts';

test('a fault strikes the first request that reaches its point, once', () => {
  const armed = new ArmedFault();
  const fault = { action: 'drop', at: 'after_claim' } as const;
  armed.arm(fault);
  expect(armed.take('before_send')).toBeUndefined();
  expect(armed.isArmedFor('after_claim')).toBe(true);
  expect(armed.take('after_claim')).toBe(fault);
  expect(armed.take('after_claim')).toBeUndefined();
});

test('a fault that has not struck is replaced', () => {
  const armed = new ArmedFault();
  armed.arm({ action: 'drop', at: 'after_claim' });
  armed.arm(undefined);
  expect(armed.take('after_claim')).toBeUndefined();
});
