import type { Scenario } from '../scenario.ts';

export const databaseRestart: Scenario = {
  name: 'database-restart',
  title: 'Database restarts mid-payment',
  group: 'Server',
  story: 'PostgreSQL ends every connection of the server just before the commit that records the charge.',
  fault: { action: 'lose_database', at: 'before_commit' },
  steps: [{ do: 'pay' }],
  promise: { protected: { charges: 1, record: 'completed' }, naive: { charges: 2 } },
  lesson: 'A lost COMMIT is unknown, not failed: the charge is found again at the provider and recorded.',
};
