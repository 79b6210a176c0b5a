import type { Scenario } from '../scenario.ts';

export const provider500: Scenario = {
  name: 'provider-500',
  title: 'Provider answers 500',
  group: 'Provider',
  story: 'The bank charges, and answers “internal error”.',
  card: 'pm_fault_charged_500',
  steps: [{ do: 'pay' }],
  promise: { protected: { charges: 1, record: 'completed' }, naive: { charges: 2 } },
  lesson: 'A 500 says nothing about the money, so it is never read as “not charged”.',
};
