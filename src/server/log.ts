import { type Logger, pino } from 'pino';

export type { Logger };

/**
 * One JSON line per event, on stdout. Ids and codes only: keys, cards, bodies, e-mail addresses and secrets are left
 * out where lines are written; the redaction is for the day somebody forgets.
 */
export function createLog(name: string, level: string): Logger {
  return pino({
    name,
    level,
    redact: {
      paths: [
        'key',
        'idempotencyKey',
        'password',
        'email',
        'authorization',
        'cookie',
        'body',
        'paymentMethod',
      ].flatMap((path) => [path, `*.${path}`]),
      censor: '[redacted]',
    },
  });
}
