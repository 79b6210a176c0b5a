import { afterEach, expect, test, vi } from 'vitest';
import { embeddedDatabaseVariable, parseEnv, parseSettings } from '#server/env.ts';
import { apiSpec, appSpec, type LaunchConfig, sandboxSpec, workerSpec } from './launch-config.ts';

const secrets = {
  AUTH_SECRET: 'x'.repeat(32),
  RESPONSE_KEYS: `a:${Buffer.alloc(32, 1).toString('base64')}`,
  SANDBOX_SECRET_KEY: 'sk_test_1',
  SANDBOX_WEBHOOK_SECRET: 'whsec_1',
  POSTGRES_PASSWORD: 'unused',
};

function configWith(source: Record<string, string>): LaunchConfig {
  return {
    settings: parseSettings(source),
    secrets,
    databaseUrl: 'postgresql://paidonce@127.0.0.1:5432/paidonce',
    directUrl: 'postgresql://paidonce@127.0.0.1:5432/paidonce',
    sandboxDatabaseUrl: '',
    dev: false,
  };
}

afterEach(() => vi.unstubAllEnvs());

test('with the embedded database the processes run as the demo, although they get a DATABASE_URL', () => {
  for (const spec of [appSpec, workerSpec]) {
    const env = parseEnv(spec(configWith({})).env);
    expect(env).toMatchObject({ demo: true, DEMO_DATA: true });
    expect(env.DATABASE_URL).toContain('127.0.0.1');
  }
});

test('with a configured DATABASE_URL they never run as the demo, even if the environment claims the embedded database', () => {
  vi.stubEnv(embeddedDatabaseVariable, 'true');
  const { env } = appSpec(configWith({ DATABASE_URL: 'postgresql://me@db.example/shop' }));
  expect(parseEnv(env)).toMatchObject({ demo: false, DEMO_DATA: false });
});

test('with API_PORT the API is a process of its own, and the sandbox sends its webhooks there', () => {
  const config = configWith({ API_PORT: '4000' });
  vi.stubEnv('API_PORT', '4000');
  expect(parseEnv(apiSpec(config).env)).toMatchObject({ API_PORT: 4000, PORT: 3000 });
  expect(sandboxSpec(config).env.SANDBOX_WEBHOOK_URL).toBe('http://127.0.0.1:4000/api/webhooks/stripe');
  expect(sandboxSpec(configWith({})).env.SANDBOX_WEBHOOK_URL).toContain(':3000/');
});
