import type { Scenario } from '../scenario.ts';

export const operatorResolves: Scenario = {
  name: 'operator-resolves',
  title: 'An operator resolves it',
  group: 'Server',
  story: 'The server dies after the charge, no webhook comes, and an operator asks the provider.',
  card: 'pm_fault_webhook_never',
  fault: { action: 'kill', at: 'after_charge' },
  steps: [{ do: 'send' }, { do: 'operator' }, { do: 'pay', unlessPaid: true }],
  promise: { protected: { charges: 1, record: 'completed' }, naive: { charges: 2 } },
  lesson:
    'The operator does not choose an outcome: the provider is asked, and its answer is recorded with their name.',
};
