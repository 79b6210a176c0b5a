import type { Scenario } from '../scenario.ts';

export const webhookOutOfOrder: Scenario = {
  name: 'webhook-out-of-order',
  title: 'Webhooks out of order',
  group: 'Provider',
  story: '“Succeeded” is delivered before “created”.',
  card: 'pm_fault_webhook_out_of_order',
  steps: [{ do: 'pay' }, { do: 'webhooks', events: ['payment_intent.succeeded', 'payment_intent.created'] }],
  promise: { protected: { charges: 1, record: 'completed' }, naive: { charges: 1 } },
  lesson: 'An event is a reason to ask the provider, not an instruction, so its order does not matter.',
};
