import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';

export type { Logger };

/** What waits while the log cannot be written, as on a full disk. Lines beyond it are dropped. */
const maxWaitingBytes = 10_000_000;

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
 * A line that cannot be written ends nothing: by default its error would end the process, and payments with it, and an exit
 * would wait for ever for the disk. The next line tries again.
 */
function openStdout(): DestinationStream {
  const stdout = pino.destination({ dest: 1, sync: false, maxLength: maxWaitingBytes });
  const flushSync = stdout.flushSync.bind(stdout);
  let fails = false;
  stdout.on('error', () => {
    fails = true;
  });
  stdout.on('write', () => {
    fails = false;
  });
  stdout.flushSync = () => {
    if (!fails) flushSync();
  };
  return stdout;
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
