import type { Scenario } from '../scenario.ts';

export const retryStorm: Scenario = {
  name: 'retry-storm',
  title: 'Retry storm',
  group: 'Shopper',
  story: 'A load balancer, an app and a job queue all retry: 200 callers send the same payment at once.',
  steps: [{ do: 'pay', callers: 200 }],
  // Without protection every caller pays, and pays again if the provider is too busy to answer in time.
  promise: { protected: { charges: 1, record: 'completed' }, naive: { charges: [2, 400] } },
  lesson: 'One caller executes. The others wait for its response or read it.',
};
