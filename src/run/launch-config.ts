import { usedEventTypes } from '#payments/stripe/event-types.ts';
import { embeddedDatabaseVariable, type Settings, settingNames } from '#server/env.ts';
import { inCheckout } from './checkout.ts';
import type { ProcessSpec } from './child.ts';
import type { Secrets } from './secrets.ts';

export type LaunchConfig = {
  settings: Settings;
  secrets: Secrets;
  databaseUrl: string;
  // PostgreSQL itself; another one than databaseUrl behind a pooler.
  directUrl: string;
  sandboxDatabaseUrl: string;
  dev: boolean;
};

const next = inCheckout('node_modules', 'next', 'dist', 'bin', 'next');

// What the sandbox reads besides settings.
const sandboxNames = ['SANDBOX_HOST', 'SANDBOX_WEBHOOK_URL', 'SANDBOX_WEBHOOK_EVENTS'];

// The user's environment (PATH, proxies, certificates) without our settings, which each process gets explicitly.
function inheritedEnv(dev: boolean): NodeJS.ProcessEnv {
  const ours = new Set([...settingNames, embeddedDatabaseVariable, ...sandboxNames]);
  const rest = Object.entries(process.env).filter(([name]) => !ours.has(name) && !name.startsWith('npm_'));
  return {
    ...Object.fromEntries(rest),
    NODE_ENV: dev ? 'development' : 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    // Caching compiled modules between starts nearly halves the time of a start.
    NODE_COMPILE_CACHE: inCheckout('node_modules', '.cache', 'node'),
  };
}

// The settings as text, with the values that the supervisor generated.
function appEnv({ settings, secrets, databaseUrl, dev }: LaunchConfig): NodeJS.ProcessEnv {
  const given = Object.fromEntries(settingNames.map((name) => [name, process.env[name]]));
  const resolved = {
    HOST: settings.HOST,
    PORT: String(settings.PORT),
    PUBLIC_URL: settings.PUBLIC_URL,
    DATA_DIR: settings.DATA_DIR,
    DATABASE_URL: databaseUrl,
    ...(settings.DATABASE_URL === undefined && { [embeddedDatabaseVariable]: 'true' }),
    SANDBOX_PORT: String(settings.SANDBOX_PORT),
    SANDBOX_URL: settings.SANDBOX_URL,
    DEMO_DATA: String(settings.DEMO_DATA),
    AUTH_SECRET: settings.AUTH_SECRET ?? secrets.AUTH_SECRET,
    RESPONSE_KEYS: process.env.RESPONSE_KEYS || secrets.RESPONSE_KEYS,
    SANDBOX_SECRET_KEY: settings.SANDBOX_SECRET_KEY ?? secrets.SANDBOX_SECRET_KEY,
    SANDBOX_WEBHOOK_SECRET: settings.SANDBOX_WEBHOOK_SECRET ?? secrets.SANDBOX_WEBHOOK_SECRET,
  };
  return { ...inheritedEnv(dev), ...given, ...resolved };
}

// The app's URL on this machine; visitors may use another one.
export function localUrl({ HOST }: Settings, port: number): string {
  const host = ['0.0.0.0', '::', '[::]'].includes(HOST) ? '127.0.0.1' : HOST;
  return `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
}

function nodeCommand(config: LaunchConfig, entry: string): readonly [string, ...string[]] {
  return [
    process.execPath,
    ...(config.dev ? ['--watch', '--watch-preserve-output'] : []),
    inCheckout('src', entry),
  ];
}

export function buildSpec(dev: boolean): ProcessSpec {
  return {
    name: 'build',
    command: [process.execPath, next, 'build'],
    env: inheritedEnv(dev),
    ready: 'message',
  };
}

export function appSpec(config: LaunchConfig): ProcessSpec {
  const { HOST, PORT } = config.settings;
  const mode = config.dev ? 'dev' : 'start';
  return {
    name: 'app',
    command: [process.execPath, next, mode, '-H', HOST, '-p', String(PORT)],
    env: appEnv(config),
    ready: { url: `${localUrl(config.settings, PORT)}/api/health` },
  };
}

export function workerSpec(config: LaunchConfig): ProcessSpec {
  return { name: 'worker', command: nodeCommand(config, 'worker.ts'), env: appEnv(config), ready: 'message' };
}

export function apiSpec(config: LaunchConfig): ProcessSpec {
  return { name: 'api', command: nodeCommand(config, 'api.ts'), env: appEnv(config), ready: 'message' };
}

// Of the app, the sandbox is given only the URL for its webhooks.
export function sandboxSpec(config: LaunchConfig): ProcessSpec {
  const { settings } = config;
  const env = appEnv(config);
  return {
    name: 'sandbox',
    command: nodeCommand(config, 'sandbox/main.ts'),
    env: {
      ...inheritedEnv(config.dev),
      LOG_LEVEL: settings.LOG_LEVEL,
      SANDBOX_HOST: '127.0.0.1',
      SANDBOX_PORT: String(settings.SANDBOX_PORT),
      SANDBOX_DATABASE_URL: config.sandboxDatabaseUrl,
      SANDBOX_SECRET_KEY: env.SANDBOX_SECRET_KEY,
      SANDBOX_WEBHOOK_SECRET: env.SANDBOX_WEBHOOK_SECRET,
      SANDBOX_WEBHOOK_URL: `${localUrl(settings, settings.API_PORT ?? settings.PORT)}/api/webhooks/stripe`,
      // The last one is of no use; it is there to arrive out of order, on request.
      SANDBOX_WEBHOOK_EVENTS: [...usedEventTypes, 'payment_intent.created'].join(','),
    },
    ready: 'message',
  };
}
