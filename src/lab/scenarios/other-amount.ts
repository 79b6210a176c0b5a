import type { Scenario } from '../scenario.ts';

export const otherAmount: Scenario = {
  name: 'other-amount',
  title: 'Same key, another amount',
  group: 'Keys',
  story: 'A client reuses a key for a second, more expensive payment.',
  steps: [{ do: 'pay' }, { do: 'send', amount: 'other' }],
  promise: { protected: { charges: 1, record: 'completed' }, naive: { charges: 2 } },
  lesson: 'The second command is refused with 422 and never reveals the first response.',
};
