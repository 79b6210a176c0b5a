import type { Scenario } from '../scenario.ts';

export const resetMidAnswer: Scenario = {
  name: 'reset-mid-answer',
  title: 'Connection reset mid-answer',
  group: 'Provider',
  story: 'The bank charges, and its answer breaks off in the middle.',
  card: 'pm_fault_truncated_response',
  steps: [{ do: 'pay' }],
  promise: { protected: { charges: 1, record: 'completed' }, naive: { charges: 2 } },
  lesson: 'Half an answer is no answer: the provider is asked, and nothing is guessed.',
};
