import { afterEach, expect, test, vi } from 'vitest';
import { inCheckout } from './checkout.ts';

// Prisma's own module takes seconds to load on a busy machine.
vi.setConfig({ testTimeout: 60_000 });
afterEach(() => vi.unstubAllEnvs());

test.each([
  [{ DATABASE_URL: 'postgresql://pooler/shop', DIRECT_DATABASE_URL: 'postgresql://direct/shop' }, 'direct'],
  [{ DATABASE_URL: 'postgresql://only/shop', DIRECT_DATABASE_URL: '' }, 'only'],
])(
  'npx prisma finds the schema, the migrations and PostgreSQL itself without an option',
  async (env, host) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    vi.resetModules();
    // At the root of the checkout, because Prisma's command looks for it nowhere else.
    const { default: config } = await import(inCheckout('prisma.config.ts'));
    expect(config.datasource.url).toBe(`postgresql://${host}/shop`);
    expect(config.schema).toBe(inCheckout('prisma', 'schema.prisma'));
    expect(config.migrations.path).toBe(inCheckout('prisma', 'migrations'));
  },
);
