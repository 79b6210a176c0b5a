import type { Scenario } from '../scenario.ts';

export const doubleClick: Scenario = {
  name: 'double-click',
  title: 'Double click',
  group: 'Shopper',
  story: 'An impatient shopper clicks Pay twice, and both requests are on their way at the same moment.',
  steps: [{ do: 'pay', callers: 2 }],
  promise: { protected: { charges: 1, record: 'completed' }, naive: { charges: 2 } },
  lesson: 'One request claims the key and pays; the other gets the same response.',
};
