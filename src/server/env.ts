import { z } from 'zod';
import { isNetwork } from './incoming/networks.ts';

// Two provider calls (after a decline: confirm and cancel) fit into one lease, and a second remains to store their result.
const leaseMarginMs = 1_000;
const maxLeaseMs = 600_000;

// Holds for the installation's lease and for every tenant's own.
export function leaseBounds(settings: { PROVIDER_TIMEOUT_MS: number }): { minMs: number; maxMs: number } {
  return { minMs: 2 * settings.PROVIDER_TIMEOUT_MS + leaseMarginMs, maxMs: maxLeaseMs };
}

export function leaseLimits(settings: { LEASE_MS: number; PROVIDER_TIMEOUT_MS: number }) {
  return { defaultMs: settings.LEASE_MS, ...leaseBounds(settings) };
}

function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error });
}

function url(protocols: RegExp, expected: string) {
  return z.url({ protocol: protocols, error: `must be ${expected}` });
}

const port = wholeNumber(1, 65_535);
const webUrl = url(/^https?$/, 'a URL such as https://shop.example');
const postgresUrl = url(/^postgres(ql)?$/, 'a URL such as postgresql://user:password@host:5432/database');

function prefixed(...prefixes: readonly string[]) {
  const wanted = prefixes.map((prefix) => `"${prefix}"`).join(' or ');
  return z.string().refine((text) => prefixes.some((prefix) => text.startsWith(prefix)), {
    error: `must start with ${wanted}`,
  });
}

function longSecret(error = 'must have at least 32 characters') {
  return z.string().min(32, { error });
}

const responseKeys = z.string().transform((text, context) => {
  const keys = text.split(',').map((part) => {
    const [id = '', encoded = ''] = part.trim().split(':');
    return { id, key: new Uint8Array(Buffer.from(encoded, 'base64')) };
  });
  const [first, ...others] = keys;
  const ids = new Set(keys.map(({ id }) => id));
  if (!first || ids.has('') || ids.size !== keys.length || keys.some(({ key }) => key.length !== 32)) {
    const message = 'must be a comma list of id:base64, each id once and each key 32 bytes long';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  }
  return [first, ...others] as const;
});

const networks = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((parts) => parts.every(isNetwork), {
    error: 'must be a comma list of addresses or networks, such as 10.0.0.0/8',
  });

const shape = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(3000),
  API_PORT: port.optional(),
  PUBLIC_URL: webUrl.optional(),
  TRUSTED_PROXIES: networks.default([]),
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: postgresUrl.optional(),
  DIRECT_DATABASE_URL: postgresUrl.optional(),
  AUTH_SECRET: longSecret().optional(),
  RESPONSE_KEYS: responseKeys.optional(),
  STRIPE_SECRET_KEY: prefixed('sk_', 'rk_').optional(),
  STRIPE_WEBHOOK_SECRET: prefixed('whsec_').optional(),
  STRIPE_PUBLISHABLE_KEY: prefixed('pk_').optional(),
  SANDBOX_PORT: port.optional(),
  SANDBOX_URL: webUrl.optional(),
  SANDBOX_DATABASE_URL: postgresUrl.optional(),
  SANDBOX_SECRET_KEY: prefixed('sk_').optional(),
  SANDBOX_WEBHOOK_SECRET: prefixed('whsec_').optional(),
  PROVIDER_TIMEOUT_MS: wholeNumber(100, 120_000).default(10_000),
  LEASE_MS: wholeNumber(1_000, maxLeaseMs).default(30_000),
  DEMO_DATA: z.stringbool({ error: 'must be true or false' }).optional(),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be one of fatal, error, warn, info, debug, trace, silent',
    })
    .default('info'),
  ALERT_WEBHOOK_URL: webUrl.optional(),
  METRICS_TOKEN: z.string().min(16, { error: 'must have at least 16 characters' }).optional(),
  SMTP_URL: url(/^smtps?$/, 'a URL such as smtp://user:password@mail.example:587').optional(),
  MAIL_FROM: z.string().includes('@', { error: 'must be an e-mail address' }).optional(),
});

export const settingNames = Object.keys(shape.shape);

type Shape = z.infer<typeof shape>;

function findConflicts(settings: Shape): string[] {
  const conflicts: string[] = [];
  const { minMs: neededMs } = leaseBounds(settings);
  if (settings.LEASE_MS < neededMs) {
    conflicts.push(
      `LEASE_MS must be at least ${neededMs}, which is two provider calls of PROVIDER_TIMEOUT_MS (${settings.PROVIDER_TIMEOUT_MS}) and a second to spare, but is ${settings.LEASE_MS}.`,
    );
  }
  if (settings.DIRECT_DATABASE_URL !== undefined && settings.DATABASE_URL === undefined) {
    conflicts.push('DATABASE_URL must be set when DIRECT_DATABASE_URL is: it is the address of the pooler.');
  }
  if ((settings.STRIPE_SECRET_KEY === undefined) !== (settings.STRIPE_WEBHOOK_SECRET === undefined)) {
    conflicts.push('STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET must be set together or not at all.');
  }
  if (settings.SMTP_URL !== undefined && settings.MAIL_FROM === undefined) {
    conflicts.push('MAIL_FROM must be set when SMTP_URL is: e-mails need a sender.');
  }
  const usesSandbox = settings.STRIPE_SECRET_KEY === undefined;
  if (usesSandbox && settings.SANDBOX_PORT === undefined && settings.PORT === 65_535) {
    conflicts.push(
      'SANDBOX_PORT must be set when PORT is 65535, because its default is the port after PORT.',
    );
  }
  if (usesSandbox && settings.SANDBOX_PORT === settings.PORT) {
    conflicts.push(`SANDBOX_PORT must differ from PORT, but both are ${settings.PORT}.`);
  }
  const others = { PORT: settings.PORT, ...(usesSandbox && { SANDBOX_PORT: sandboxPortOf(settings) }) };
  for (const [name, taken] of Object.entries(others)) {
    if (settings.API_PORT === taken) {
      conflicts.push(`API_PORT must differ from ${name}, but both are ${taken}.`);
    }
  }
  return conflicts;
}

/** Where the database is reached, and where PostgreSQL itself is, for what needs a session of its own. */
export function databaseAddresses(settings: {
  readonly DATABASE_URL: string;
  readonly DIRECT_DATABASE_URL?: string | undefined;
}) {
  const { DATABASE_URL: url, DIRECT_DATABASE_URL: directUrl = url } = settings;
  return { url, directUrl, pooler: directUrl !== url };
}

/** The port after the app's, unless it is set. */
function sandboxPortOf(settings: Shape): number {
  return settings.SANDBOX_PORT ?? settings.PORT + 1;
}

function applyDefaults(settings: Shape, embedded: boolean) {
  // A server that listens on all addresses still needs one that a browser can open.
  const visited = ['0.0.0.0', '::', '[::]'].includes(settings.HOST) ? '127.0.0.1' : settings.HOST;
  const host = visited.includes(':') && !visited.startsWith('[') ? `[${visited}]` : visited;
  const sandboxPort = sandboxPortOf(settings);
  const provider: 'stripe' | 'sandbox' = settings.STRIPE_SECRET_KEY === undefined ? 'sandbox' : 'stripe';
  // The demo has neither real money nor a database of the user's own. Only there do logins exist with passwords in a file,
  // and the bar that makes the provider fail.
  const demo = embedded && provider === 'sandbox';
  return {
    ...settings,
    PUBLIC_URL: (settings.PUBLIC_URL ?? `http://${host}:${settings.PORT}`).replace(/\/$/, ''),
    SANDBOX_PORT: sandboxPort,
    SANDBOX_URL: (settings.SANDBOX_URL ?? `http://127.0.0.1:${sandboxPort}`).replace(/\/$/, ''),
    DEMO_DATA: settings.DEMO_DATA ?? demo,
    provider,
    demo,
  };
}

export type Settings = ReturnType<typeof applyDefaults>;

export class SettingsError extends Error {
  override name = 'SettingsError';
}

type Source = Readonly<Record<string, string | undefined>>;

// For the supervisor, which starts or generates what is not set, PostgreSQL included.
export function parseSettings(source: Source): Settings {
  return parse(source, !source.DATABASE_URL?.trim());
}

function parse(source: Source, embedded: boolean): Settings {
  // `NAME=` in a .env file means "not set".
  const given = Object.fromEntries(settingNames.map((name) => [name, source[name]?.trim() || undefined]));
  const parsed = shape.safeParse(given);
  // Values are never repeated in a message: half of the settings are secrets.
  const problems = parsed.success
    ? findConflicts(parsed.data)
    : parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}.`);
  if (!parsed.success || problems.length > 0) throw new SettingsError([...new Set(problems)].join('\n'));
  return applyDefaults(parsed.data, embedded);
}

const always = ['DATABASE_URL', 'AUTH_SECRET', 'RESPONSE_KEYS'] as const;
const withSandbox = ['SANDBOX_SECRET_KEY', 'SANDBOX_WEBHOOK_SECRET'] as const;

export type Env = Settings & { [name in (typeof always)[number]]: NonNullable<Settings[name]> };

// The supervisor sets this variable for its children when the PostgreSQL at DATABASE_URL is the embedded one. It is not a
// setting: the supervisor ignores it in its own environment.
export const embeddedDatabaseVariable = 'PAIDONCE_EMBEDDED';

// For the processes that the supervisor starts: every setting that they need is set.
export function parseEnv(source: Source): Env {
  const settings = parse(source, source[embeddedDatabaseVariable] === 'true');
  const needed = settings.provider === 'sandbox' ? [...always, ...withSandbox] : always;
  const missing = needed.filter((name) => settings[name] === undefined);
  if (missing.length > 0) {
    throw new SettingsError(missing.map((name) => `${name} must be set; "npm start" does that.`).join('\n'));
  }
  return settings as Env;
}

/** One per process: Next loads a route's modules more than once. */
const slot = Symbol.for('paidonce.env');
const shared = globalThis as { [slot]?: Env };

// Lazy, so that `next build`, which loads every route, needs no settings.
export function readEnv(): Env {
  shared[slot] ??= parseEnv(process.env);
  return shared[slot];
}
