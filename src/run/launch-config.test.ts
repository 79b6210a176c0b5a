import { afterEach, expect, test, vi } from 'vitest';
import { embeddedMark, parseEnv, parseSettings } from '#server/env.ts';
import { appSpec, type House, workerSpec } from './launch-config.ts';

const secrets = {
  AUTH_SECRET: 'x'.repeat(32),
  RESPONSE_KEYS: `a:${Buffer.alloc(32, 1).toString('base64')}`,
  SANDBOX_SECRET_KEY: 'sk_test_1',
  SANDBOX_WEBHOOK_SECRET: 'whsec_1',
  POSTGRES_PASSWORD: 'unused',
};

function houseWith(source: Record<string, string>): House {
  return {
    settings: parseSettings(source),
    secrets,
    databaseUrl: 'postgresql://paidonce@127.0.0.1:5432/paidonce',
    sandboxDatabaseUrl: '',
    dev: false,
  };
}

afterEach(() => vi.unstubAllEnvs());

test('the processes of the embedded default know that they are the demo, though they are given a DATABASE_URL', () => {
  for (const spec of [appSpec, workerSpec]) {
    const told = parseEnv(spec(houseWith({})).env);
    expect(told).toMatchObject({ demo: true, DEMO_DATA: true });
    expect(told.DATABASE_URL).toContain('127.0.0.1');
  }
});

test('a database of one’s own is never taken for the embedded one, whatever the environment says', () => {
  vi.stubEnv(embeddedMark, 'true');
  const { env } = appSpec(houseWith({ DATABASE_URL: 'postgresql://me@db.example/shop' }));
  expect(parseEnv(env)).toMatchObject({ demo: false, DEMO_DATA: false });
});
