import type { Scenario } from '../scenario.ts';

export const silentAfterCharging: Scenario = {
  name: 'silent-after-charging',
  title: 'Provider silent after charging',
  group: 'Provider',
  story: 'The bank takes the money and never answers.',
  card: 'pm_fault_charged_no_response',
  steps: [{ do: 'pay' }],
  promise: { protected: { charges: 1, record: 'completed' }, naive: { charges: 2 } },
  lesson: 'A time-out is not a failure: the outcome is unknown until the provider’s own evidence ends it.',
};
