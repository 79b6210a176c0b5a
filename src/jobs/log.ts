import type { Logger } from 'pino';

/** As much of the process's log as jobs write to. */
export type Log = Pick<Logger, 'info' | 'warn' | 'error'>;
