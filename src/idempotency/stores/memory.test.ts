import { describeStoreContract } from '../testing/store-contract.ts';
import { createMemoryStore } from './memory.ts';

describeStoreContract('memory', async () => ({ store: createMemoryStore(), close: async () => undefined }));
