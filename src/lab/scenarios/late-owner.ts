import type { Scenario } from '../scenario.ts';

export const lateOwner: Scenario = {
  name: 'late-owner',
  title: 'Lease expires, late owner',
  group: 'Server',
  story:
    'The server freezes after the charge, its lease expires, another server takes over, and then the first wakes up.',
  card: 'pm_fault_webhook_never',
  fault: { action: 'freeze', at: 'after_charge' },
  steps: [{ do: 'pay' }, { do: 'thaw' }],
  promise: { protected: { charges: 1, record: 'completed' }, naive: { charges: 2 } },
  lesson:
    'An expired lease makes the outcome unknown, never “try again”; the late owner’s writes are fenced.',
};
