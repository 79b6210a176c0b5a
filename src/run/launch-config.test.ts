import { afterEach, expect, test, vi } from 'vitest';
import { embeddedMark, parseEnv, parseSettings } from '#server/env.ts';
import { appSpec, type LaunchConfig, workerSpec } from './launch-config.ts';

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
    sandboxDatabaseUrl: '',
    dev: false,
  };
}

afterEach(() => vi.unstubAllEnvs());

test('the processes of the embedded default are marked as the demo, though they are given a DATABASE_URL', () => {
  for (const spec of [appSpec, workerSpec]) {
    const env = parseEnv(spec(configWith({})).env);
    expect(env).toMatchObject({ demo: true, DEMO_DATA: true });
    expect(env.DATABASE_URL).toContain('127.0.0.1');
  }
});

test('a database of one’s own is never taken for the embedded one, even if the environment says so', () => {
  vi.stubEnv(embeddedMark, 'true');
  const { env } = appSpec(configWith({ DATABASE_URL: 'postgresql://me@db.example/shop' }));
  expect(parseEnv(env)).toMatchObject({ demo: false, DEMO_DATA: false });
});
