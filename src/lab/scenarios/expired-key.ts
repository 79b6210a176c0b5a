import type { Scenario } from '../scenario.ts';

export const expiredKey: Scenario = {
  name: 'expired-key',
  title: 'Expired key',
  group: 'Keys',
  story: 'A client that was offline for too long sends its payment again after the replay window is over.',
  steps: [{ do: 'pay' }, { do: 'expire_key' }, { do: 'send' }],
  promise: { protected: { charges: 1, record: 'expired' }, naive: { charges: 2 } },
  lesson: 'The answer is 410 with the payment’s id: read it, do not pay again.',
};
