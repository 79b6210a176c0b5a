import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { childEnvironment } from '#run/testing/child-environment.ts';

// Each test starts a process, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const settings = {
  DATABASE_URL: 'postgresql://shop:secret-password@127.0.0.1:1/shop',
  AUTH_SECRET: 'a'.repeat(32),
  RESPONSE_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
  SANDBOX_SECRET_KEY: 'sk_test_1',
  SANDBOX_WEBHOOK_SECRET: 'whsec_1',
};

function start(file: string, env: Record<string, string>) {
  const child = spawnSync(process.execPath, [path.resolve('src', file)], {
    env: { NODE_ENV: 'production', ...childEnvironment(), ...env },
    encoding: 'utf8',
  });
  return [child.status, child.stderr];
}

test.each([
  ['api.ts', { LEASE_MS: '20000' }, /^LEASE_MS must be at least 21000, .*, but is 20000\.\n$/],
  ['api.ts', {}, /^API_PORT must be set\.\n$/],
  ['worker.ts', { DATABASE_URL: '' }, /^DATABASE_URL must be set; "npm start" does that\.\n$/],
])('%s, started by hand with %j, says in one line what is wrong', (file, over, message) => {
  expect(start(file, { ...settings, ...over })).toEqual([1, expect.stringMatching(message)]);
});

test('the API names the address that is in use', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  expect(start('api.ts', { ...settings, API_PORT: String(port) })).toEqual([
    1,
    `listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`,
  ]);
  taken.close();
});
