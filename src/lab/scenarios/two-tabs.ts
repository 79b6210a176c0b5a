import type { Scenario } from '../scenario.ts';

export const twoTabs: Scenario = {
  name: 'two-tabs',
  title: 'Two tabs, two keys',
  group: 'Shopper',
  story: 'The same order is open in two tabs, each with a key of its own, and both pay at once.',
  steps: [{ do: 'pay', keys: ['A', 'B'] }],
  promise: { protected: { charges: 1 }, naive: { charges: 2 } },
  lesson: 'No idempotency key can stop this one: the database allows one live payment per reference.',
};
