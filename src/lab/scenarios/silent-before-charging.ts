import type { Scenario } from '../scenario.ts';

export const silentBeforeCharging: Scenario = {
  name: 'silent-before-charging',
  title: 'Provider silent before charging',
  group: 'Provider',
  story: 'The bank does nothing and never answers, so the shopper takes another card.',
  card: 'pm_fault_not_charged_no_response',
  steps: [
    { do: 'pay', stopWhenReleased: true },
    { do: 'pay', keys: ['B'], card: 'pm_card_visa', unlessPaid: true },
  ],
  promise: { protected: { charges: 1, record: 'failed_retryable' }, naive: { charges: 1 } },
  lesson:
    'The first intent is cancelled at the provider before the key is released: it can never charge later.',
};
