import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { databaseAddresses, embeddedDatabaseVariable, parseEnv, parseSettings, settingNames } from './env.ts';

const key = (id: string) => `${id}:${Buffer.alloc(32, id).toString('base64')}`;

function problemsOf(source: Record<string, string>): string[] {
  try {
    parseSettings(source);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
}

test('.env.example names exactly the settings that env.ts knows', () => {
  const file = path.resolve(import.meta.dirname, '../../.env.example');
  const listed = [...readFileSync(file, 'utf8').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
  expect(listed.toSorted()).toEqual(settingNames.toSorted());
});

test('.env.example, taken as it is, sets nothing but the defaults', () => {
  const file = path.resolve(import.meta.dirname, '../../.env.example');
  const lines = [...readFileSync(file, 'utf8').matchAll(/^([A-Z_]+)=(.*)$/gm)];
  const asItIs = Object.fromEntries(lines.map(([, name, value]) => [name, value]));
  expect(parseSettings(asItIs)).toEqual(parseSettings({}));
});

describe('defaults', () => {
  test('follow the port', () => {
    expect(parseSettings({ PORT: '4100' })).toMatchObject({
      HOST: '127.0.0.1',
      PUBLIC_URL: 'http://127.0.0.1:4100',
      SANDBOX_PORT: 4101,
      SANDBOX_URL: 'http://127.0.0.1:4101',
    });
  });

  test('the public URL of a server that listens on all addresses is the loopback address', () => {
    expect(parseSettings({ HOST: '0.0.0.0' }).PUBLIC_URL).toBe('http://127.0.0.1:3000');
  });
});

describe('the addresses of the database', () => {
  const url = 'postgresql://me@pooler.example:6432/shop';
  const direct = 'postgresql://me@db.example/shop';

  test('without a pooler both are the same', () => {
    expect(databaseAddresses({ DATABASE_URL: url })).toEqual({ url, directUrl: url, pooler: false });
    const same = { DATABASE_URL: url, DIRECT_DATABASE_URL: url };
    expect(databaseAddresses(same)).toMatchObject({ pooler: false });
  });

  test('with DIRECT_DATABASE_URL, DATABASE_URL is that of a pooler', () => {
    const both = { DATABASE_URL: url, DIRECT_DATABASE_URL: direct };
    expect(problemsOf(both)).toEqual([]);
    expect(databaseAddresses(both)).toEqual({ url, directUrl: direct, pooler: true });
  });

  test('DIRECT_DATABASE_URL alone is refused', () => {
    expect(problemsOf({ DIRECT_DATABASE_URL: direct })).toEqual([
      'DATABASE_URL must be set when DIRECT_DATABASE_URL is: it is the address of the pooler.',
    ]);
  });
});

describe('the demo is the embedded PostgreSQL and the sandbox, and nothing else', () => {
  const stripe = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' };
  const own = { DATABASE_URL: 'postgresql://me@db.example/shop' };

  test('for the supervisor, which gets no database', () => {
    expect(parseSettings({})).toMatchObject({ provider: 'sandbox', demo: true, DEMO_DATA: true });
    expect(parseSettings(stripe)).toMatchObject({ provider: 'stripe', demo: false, DEMO_DATA: false });
    expect(parseSettings(own)).toMatchObject({ provider: 'sandbox', demo: false, DEMO_DATA: false });
    expect(parseSettings({ DATABASE_URL: ' ' })).toMatchObject({ demo: true });
  });

  test('the supervisor ignores the variable for an embedded database in its own environment', () => {
    expect(parseSettings({ ...own, [embeddedDatabaseVariable]: 'true' })).toMatchObject({ demo: false });
  });

  test('demo data can be requested elsewhere, which does not enable the demo', () => {
    for (const elsewhere of [stripe, own])
      expect(parseSettings({ ...elsewhere, DEMO_DATA: 'true' })).toMatchObject({
        demo: false,
        DEMO_DATA: true,
      });
  });

  test('for a process that the supervisor started, which gets a database and the variable for an embedded one', () => {
    const made = {
      ...own,
      AUTH_SECRET: 'x'.repeat(32),
      RESPONSE_KEYS: key('a'),
      SANDBOX_SECRET_KEY: 'sk_test_1',
      SANDBOX_WEBHOOK_SECRET: 'whsec_1',
    };
    expect(parseEnv(made).demo).toBe(false);
    expect(parseEnv({ ...made, [embeddedDatabaseVariable]: 'true' }).demo).toBe(true);
    expect(parseEnv({ ...made, ...stripe, [embeddedDatabaseVariable]: 'true' }).demo).toBe(false);
  });
});

test.each(['sk_live_1', 'sk_test_1', 'rk_live_1', 'rk_test_1'])(
  '%s is a key of Stripe: a restricted one is as good as a secret one',
  (key) => {
    const settings = parseSettings({ STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: 'whsec_1' });
    expect(settings).toMatchObject({ STRIPE_SECRET_KEY: key, provider: 'stripe' });
  },
);

describe('a bad setting is one sentence that names it and what is expected', () => {
  test.each([
    [{ PORT: 'abc' }, 'PORT must be a whole number from 1 to 65535.'],
    [{ PORT: '80.5' }, 'PORT must be a whole number from 1 to 65535.'],
    [{ PORT: '70000' }, 'PORT must be a whole number from 1 to 65535.'],
    [
      { DATABASE_URL: 'mysql://x/y' },
      'DATABASE_URL must be a URL such as postgresql://user:password@host:5432/database.',
    ],
    [{ AUTH_SECRET: 'short' }, 'AUTH_SECRET must have at least 32 characters.'],
    [{ DEMO_DATA: 'maybe' }, 'DEMO_DATA must be true or false.'],
    [{ SANDBOX_PORT: '3000' }, 'SANDBOX_PORT must differ from PORT, but both are 3000.'],
    [{ API_PORT: '3000' }, 'API_PORT must differ from PORT, but both are 3000.'],
    [{ API_PORT: '3001' }, 'API_PORT must differ from SANDBOX_PORT, but both are 3001.'],
    [
      { STRIPE_SECRET_KEY: 'sk_test_1' },
      'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET must be set together or not at all.',
    ],
    [
      { STRIPE_SECRET_KEY: 'pk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' },
      'STRIPE_SECRET_KEY must start with "sk_" or "rk_".',
    ],
    [{ ALERT_WEBHOOK_URL: 'hooks.example' }, 'ALERT_WEBHOOK_URL must be a URL such as https://shop.example.'],
    [{ SMTP_URL: 'smtp://mail.example' }, 'MAIL_FROM must be set when SMTP_URL is: e-mails need a sender.'],
    [
      { PROVIDER_TIMEOUT_MS: '20000' },
      'LEASE_MS must be at least 41000, which is two provider calls of PROVIDER_TIMEOUT_MS (20000) and a second to spare, but is 30000.',
    ],
  ])('%o', (source, sentence) => {
    expect(problemsOf(source as Record<string, string>)).toEqual([sentence]);
  });

  test('several bad settings are several sentences', () => {
    expect(problemsOf({ PORT: '0', LOG_LEVEL: 'loud' })).toHaveLength(2);
  });

  test('a secret is never repeated', () => {
    const secret = 'hunter2-hunter2';
    expect(problemsOf({ AUTH_SECRET: secret, RESPONSE_KEYS: secret }).join()).not.toContain(secret);
  });
});

describe('response keys', () => {
  test('keep their order, the current one first', () => {
    const keys = parseSettings({ RESPONSE_KEYS: `${key('b')},${key('a')}` }).RESPONSE_KEYS;
    expect(keys?.map(({ id }) => id)).toEqual(['b', 'a']);
    expect(keys?.[0].key).toHaveLength(32);
  });

  test.each([
    ['no id', key('')],
    ['an id twice', `${key('a')},${key('a')}`],
    ['a short key', 'a:c2hvcnQ='],
  ])('%s is refused', (_, value) => {
    expect(problemsOf({ RESPONSE_KEYS: value })).toHaveLength(1);
  });
});

test('a process started without the supervisor names the missing settings', () => {
  expect(() => parseEnv({})).toThrow('DATABASE_URL must be set; "npm start" does that.');
});
