import { isDeepStrictEqual } from 'node:util';
import type { SettlementSignal } from '#idempotency/index.ts';

export interface Look<T> {
  readonly signal: SettlementSignal;
  /** Whose changes are told; it may become clear only with the first look. */
  topic(seen: T | undefined): string;
  look(): Promise<T>;
  isLast(seen: T): boolean;
  /** The reader is gone, or has had its time. */
  readonly gone: AbortSignal;
}

/**
 * A notification wakes the reader within a moment, and a lost LISTEN connection wakes everybody. This look is for what
 * neither tells, such as a record that has no payment yet; it is no poll anybody waits for.
 */
const relookMs = 25_000;

/**
 * Yields what is seen, at once and then whenever it has changed, and returns after the last. Every round opens its watch
 * before it looks, so that nothing falls between the two, and so that a lost connection is opened again.
 *
 * A reader whose time is over is told nothing: the abort ends the stream in the middle, and an EventSource comes again.
 */
export async function* whenChanged<T>(parts: Look<T>): AsyncGenerator<T, void> {
  const gone = AbortSignal.any([parts.gone, closing()]);
  let seen: { value: T } | undefined;
  for (;;) {
    gone.throwIfAborted();
    const topic = parts.topic(seen?.value);
    const watch = await parts.signal.watch(topic);
    gone.addEventListener('abort', watch.close);
    try {
      const value = await parts.look();
      if (!seen || !isDeepStrictEqual(value, seen.value)) yield value;
      seen = { value };
      if (parts.isLast(value)) return;
      if (parts.topic(value) === topic) await untilTold(watch, gone);
    } finally {
      gone.removeEventListener('abort', watch.close);
      watch.close();
    }
  }
}

async function untilTold(
  watch: Awaited<ReturnType<SettlementSignal['watch']>>,
  gone: AbortSignal,
): Promise<void> {
  gone.throwIfAborted();
  try {
    await watch.changed(relookMs);
  } catch (closed) {
    gone.throwIfAborted();
    throw closed;
  }
}

let ending: AbortController | undefined;

/** A server that is asked to stop waits for its open requests; these would keep it waiting for minutes. */
function closing(): AbortSignal {
  if (!ending) {
    const controller = new AbortController();
    process.once('SIGTERM', () => controller.abort());
    process.once('SIGINT', () => controller.abort());
    ending = controller;
  }
  return ending.signal;
}
