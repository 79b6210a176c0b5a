import { createResponseCipher } from '#idempotency/index.ts';

const key = Buffer.alloc(32, 7);

/** As the worker's process gets it, so that it opens what a test has sealed. */
export const testResponseKeys = `test:${key.toString('base64')}`;
export const testCipher = createResponseCipher([{ id: 'test', key }]);
/** How a test sets an endpoint that listens on this machine. */
export const atAnyAddress = { rule: 'public_or_loopback', cipher: testCipher } as const;
