import { expect, test } from 'vitest';
import { mintApiKey } from '#console/settings/api-key-token.ts';
import type { PrismaClient } from '#prisma';
import { createApiKeys } from './api-keys.ts';

test('tokens that a stranger makes up share a statement, so that they do not take the connections of others', async () => {
  const { token, hash } = mintApiKey();
  const key = { keyId: 'key', tenantId: 'tenant', scopes: ['read'] };
  let [statements, underWay, most] = [0, 0, 0];
  const db = {
    async $queryRaw(_: unknown, wanted: string | readonly string[]) {
      const hashes = [wanted].flat();
      statements += 1;
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise(setImmediate);
      underWay -= 1;
      return hashes.includes(hash) ? [{ hash, ...key }] : [];
    },
    $executeRaw: async () => 0,
  } as unknown as PrismaClient;
  const listener = { subscribe: () => () => undefined, isConnected: true };
  const apiKeys = createApiKeys({ db, listener });

  const strangers = Array.from({ length: 1_000 }, () => apiKeys.find(mintApiKey().token));
  const found = apiKeys.find(token);
  expect(new Set(await Promise.all(strangers))).toEqual(new Set([undefined]));
  expect(await found).toMatchObject(key);
  expect(statements).toBeLessThan(20);
  expect(most).toBeLessThan(3);
  await apiKeys.flush();
});
