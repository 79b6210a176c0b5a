import type { Scenario } from '../scenario.ts';

export const webhookTwice: Scenario = {
  name: 'webhook-twice',
  title: 'Webhooks twice',
  group: 'Provider',
  story: 'The bank delivers every notification twice.',
  card: 'pm_fault_webhook_twice',
  steps: [
    { do: 'pay' },
    { do: 'webhooks', events: ['payment_intent.succeeded', 'payment_intent.succeeded'] },
  ],
  promise: { protected: { charges: 1, record: 'completed' }, naive: { charges: 1 } },
  lesson: 'Events are deduplicated by their id: the second one changes nothing.',
};
