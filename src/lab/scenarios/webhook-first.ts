import type { Scenario } from '../scenario.ts';

export const webhookFirst: Scenario = {
  name: 'webhook-first',
  title: 'Webhook before the answer',
  group: 'Provider',
  story: 'The notification arrives while the request is still waiting for its answer.',
  card: 'pm_fault_webhook_first',
  steps: [{ do: 'pay' }, { do: 'webhooks', events: ['payment_intent.succeeded'] }],
  promise: { protected: { charges: 1, record: 'completed' }, naive: { charges: 1 } },
  lesson: 'Whichever is recorded first completes the payment, once; the other finds it completed.',
};
