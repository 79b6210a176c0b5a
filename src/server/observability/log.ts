import { type Logger, pino, stdSerializers } from 'pino';
import { openStdout } from './stdout.ts';

export type { Logger };

/**
 * One JSON line per event, on stdout. Ids and codes only: keys, cards, bodies, e-mail addresses and secrets are left
 * out where lines are written; the redaction is a second safeguard.
 */
export function createLog(name: string, level: string): Logger {
  const options = {
    name,
    level,
    serializers: { err: describeError },
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
  };
  return pino(options, openStdout());
}

/**
 * PostgreSQL's messages quote values of the row, such as `Key (key)=(…) already exists`, and Prisma's print all arguments of a
 * query that it does not understand; they are removed.
 */
export function describeError(error: Error): object {
  const { type, message, stack } = stdSerializers.err(error);
  const withoutValues = (text: string) =>
    text
      .replaceAll(/=\([^)]*\)/g, '=(…)')
      .replaceAll(/(Invalid `[^`]+` invocation)[\s\S]*?\n\n(?=[A-Z])/g, '$1: ');
  const code = 'code' in error ? { code: error.code } : {};
  return { type, ...code, message: withoutValues(message), stack: withoutValues(stack) };
}
