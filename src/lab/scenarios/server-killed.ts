import type { Scenario } from '../scenario.ts';

export const serverKilled: Scenario = {
  name: 'server-killed',
  title: 'Server killed mid-payment',
  group: 'Server',
  story: 'The server is killed with SIGKILL after the bank has charged, and is started again.',
  fault: { action: 'kill', at: 'after_charge' },
  steps: [{ do: 'pay' }],
  promise: { protected: { charges: 1, record: 'completed' }, naive: { charges: 2 } },
  lesson:
    'The recovery point was committed before the charge left, so the restarted server knows what it does not know.',
};
