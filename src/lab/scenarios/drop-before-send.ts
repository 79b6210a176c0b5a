import type { Scenario } from '../scenario.ts';

export const dropBeforeSend: Scenario = {
  name: 'drop-before-send',
  title: 'Network drops before sending',
  group: 'Network',
  story: 'The connection is gone before the request leaves the device, so the shopper tries again.',
  fault: { action: 'drop', at: 'before_send' },
  steps: [{ do: 'pay' }],
  promise: { protected: { charges: 1, record: 'completed' }, naive: { charges: 1 } },
  lesson: 'Nothing had left, so both lanes charge once. To the client it is the same as a lost response.',
};
