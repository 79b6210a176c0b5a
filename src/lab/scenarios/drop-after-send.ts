import type { Scenario } from '../scenario.ts';

export const dropAfterSend: Scenario = {
  name: 'drop-after-send',
  title: 'Network drops after sending',
  group: 'Network',
  story: 'The payment is made, and the connection is cut before the shopper gets the response.',
  fault: { action: 'drop', at: 'before_response' },
  steps: [{ do: 'pay' }],
  promise: { protected: { charges: 1, record: 'completed' }, naive: { charges: 2 } },
  lesson: 'The retry carries the same key and gets the stored response, byte for byte.',
};
