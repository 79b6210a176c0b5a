import { z } from 'zod';
import { isEventName } from './events/event-names.ts';

const milliseconds = z.coerce.number().int().min(0);

const environment = z.object({
  SANDBOX_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  SANDBOX_HOST: z.string().min(1).default('127.0.0.1'),
  SANDBOX_PORT: z.coerce.number().int().min(0).max(65_535).default(3001),
  // The sandbox has test keys only, so it refuses to start with a live one.
  SANDBOX_SECRET_KEY: z.string().regex(/^sk_test_\w+$/, 'must look like sk_test_…'),
  SANDBOX_PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  SANDBOX_WEBHOOK_URL: z.url({ protocol: /^https?$/ }).optional(),
  SANDBOX_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_\S+$/, 'must look like whsec_…')
    .optional(),
  SANDBOX_WEBHOOK_EVENTS: z
    .string()
    .transform((names) => names.split(',').map((name) => name.trim()))
    .refine((names) => names.every(isEventName), 'must be names of events, separated by commas, or *')
    .default(['*']),
  // Thirty seconds is longer than any caller waits while a shopper watches.
  SANDBOX_SLOW_RESPONSE_MS: milliseconds.default(30_000),
  // Three seconds is long enough to watch "processing" in a browser and short enough to wait for.
  SANDBOX_FINISH_AFTER_MS: milliseconds.default(3_000),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

export interface Settings {
  databaseUrl: string;
  host: string;
  port: number;
  secretKey: string;
  /** Where a shopper's browser reaches the sandbox; the listening address unless it is set. */
  publicUrl?: string | undefined;
  /** The endpoint that is registered at boot. It gets all events unless some are named. */
  webhook?: { url: string; secret: string; events?: string[] } | undefined;
  slowResponseMs: number;
  finishAfterMs: number;
  logLevel: string;
}

/** A setting that the operator has to correct. Its message is the one sentence that is printed before the exit. */
export class SettingsError extends Error {}

export function readSettings(env: Record<string, string | undefined>): Settings {
  if (env.STRIPE_SECRET_KEY) {
    throw new SettingsError(
      'The sandbox does not start while STRIPE_SECRET_KEY is set: real Stripe and its simulator must never run side by side.',
    );
  }
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    // The message leaves the value out, because these settings hold secrets and passwords.
    throw new SettingsError(`The sandbox setting ${issue?.path.join('.')} is wrong: ${issue?.message}.`);
  }
  const read = parsed.data;
  if ((read.SANDBOX_WEBHOOK_URL === undefined) !== (read.SANDBOX_WEBHOOK_SECRET === undefined)) {
    throw new SettingsError('SANDBOX_WEBHOOK_URL and SANDBOX_WEBHOOK_SECRET must be set together.');
  }
  return {
    databaseUrl: read.SANDBOX_DATABASE_URL,
    host: read.SANDBOX_HOST,
    port: read.SANDBOX_PORT,
    secretKey: read.SANDBOX_SECRET_KEY,
    publicUrl: read.SANDBOX_PUBLIC_URL,
    webhook:
      read.SANDBOX_WEBHOOK_URL && read.SANDBOX_WEBHOOK_SECRET
        ? {
            url: read.SANDBOX_WEBHOOK_URL,
            secret: read.SANDBOX_WEBHOOK_SECRET,
            events: read.SANDBOX_WEBHOOK_EVENTS,
          }
        : undefined,
    slowResponseMs: read.SANDBOX_SLOW_RESPONSE_MS,
    finishAfterMs: read.SANDBOX_FINISH_AFTER_MS,
    logLevel: read.LOG_LEVEL,
  };
}
