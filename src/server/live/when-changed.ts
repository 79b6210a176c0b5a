import { isDeepStrictEqual } from 'node:util';
import type { ChangeSignal } from '#idempotency/index.ts';
import { stopping } from '../stopping.ts';

export interface WatchedView<T> {
  readonly signal: ChangeSignal;
  /** The topic whose changes wake the reader. It may be known only after the first read. */
  topic(view: T | undefined): string;
  read(): Promise<T>;
  isLast(view: T): boolean;
  /** Aborts when the reader has left, or has had its time. */
  readonly aborted: AbortSignal;
}

/**
 * A notification wakes the reader within a moment, and a lost LISTEN connection wakes all readers. This read is for
 * changes whose process died before it could notify; no reader depends on it as a poll.
 */
const rereadMs = 25_000;

/**
 * Yields the view at once and then whenever it has changed, and returns after the last. Every round opens its watch before
 * it reads, so that no change falls between the two, and so that a lost connection is opened again.
 *
 * A reader whose time is over gets no message, because its stream has been cancelled, and an EventSource reconnects. Nor does
 * one of a process that stops, where the error ends the stream. A reader who has left is no error.
 */
export async function* whenChanged<T>(parts: WatchedView<T>): AsyncGenerator<T, void> {
  // A server that is asked to stop waits for its open requests; these would keep it waiting for minutes.
  const aborted = AbortSignal.any([parts.aborted, stopping()]);
  let last: { view: T } | undefined;
  for (;;) {
    if (parts.aborted.aborted) return;
    aborted.throwIfAborted();
    const topic = parts.topic(last?.view);
    const watch = await parts.signal.watch(topic);
    aborted.addEventListener('abort', watch.close);
    try {
      const view = await parts.read();
      if (!last || !isDeepStrictEqual(view, last.view)) yield view;
      last = { view };
      if (parts.isLast(view)) return;
      if (parts.topic(view) === topic) await nextChange(watch, aborted);
    } finally {
      aborted.removeEventListener('abort', watch.close);
      watch.close();
    }
  }
}

async function nextChange(
  watch: Awaited<ReturnType<ChangeSignal['watch']>>,
  aborted: AbortSignal,
): Promise<void> {
  if (aborted.aborted) return;
  try {
    await watch.changed(rereadMs);
  } catch (closed) {
    if (!aborted.aborted) throw closed;
  }
}
