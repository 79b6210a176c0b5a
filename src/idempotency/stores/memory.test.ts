import { describeCheckQueueContract } from '../testing/check-queue-contract.ts';
import { describeStoreContract } from '../testing/store-contract.ts';
import { createMemoryStore } from './memory.ts';

describeStoreContract('memory', async () => ({ store: createMemoryStore(), close: async () => undefined }));

describeCheckQueueContract('memory', async () => {
  let now = 0;
  const store = createMemoryStore(() => now);
  const advance = async (ms: number) => {
    now += ms;
  };
  return { store, queues: [store, store], advance };
});
