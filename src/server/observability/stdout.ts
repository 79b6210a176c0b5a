import { write, writeSync } from 'node:fs';

const stdout = 1;
/** What waits while the log cannot be written, as on a full disk. Lines beyond it are dropped. */
const maxWaitingBytes = 10_000_000;
/** A pipe whose reader is slow takes more after a moment. A process that ends waits this long for it, and not for ever. */
const retryInMs = 20;
const maxRetries = 50;

export interface LogDestination {
  write(line: string): void;
  /** Before the process ends. */
  flushSync(): void;
}

/**
 * A line that cannot be written ends nothing: neither its error nor an exit waits for the disk. The next line tries again.
 * Pino's own destination ends the process by the error, and waits without end at its exit.
 */
export function openStdout(): LogDestination {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let isWriting = false;

  function writeWaiting(): void {
    if (isWriting || waiting.length === 0) return;
    const bytes = takeWaiting();
    isWriting = true;
    const writeRest = (rest: Buffer) =>
      write(stdout, rest, (error, written) => {
        if (error && isFull(error)) {
          setTimeout(writeRest, retryInMs, rest);
          return;
        }
        if (!error && written < rest.length) {
          writeRest(rest.subarray(written));
          return;
        }
        isWriting = false;
        if (error) putBack(rest);
        else writeWaiting();
      });
    writeRest(bytes);
  }

  function takeWaiting(): Buffer {
    const bytes = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    return bytes;
  }

  function putBack(bytes: Buffer): void {
    waiting.unshift(bytes);
    waitingBytes += bytes.length;
  }

  const destination = {
    write(line: string) {
      const bytes = Buffer.from(line);
      if (waitingBytes + bytes.length > maxWaitingBytes) return;
      waiting.push(bytes);
      waitingBytes += bytes.length;
      writeWaiting();
    },
    flushSync() {
      let rest = takeWaiting();
      for (let retries = 0; rest.length > 0 && retries < maxRetries; ) {
        try {
          rest = rest.subarray(writeSync(stdout, rest));
        } catch (error) {
          if (!isFull(error)) break;
          retries += 1;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryInMs);
        }
      }
      if (rest.length > 0) putBack(rest);
    },
  };
  process.once('exit', () => destination.flushSync());
  return destination;
}

/** Of a pipe, which takes more when its reader has read. */
function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}
