/** A number of places for work that goes on side by side. */
export interface Slots {
  /** Begins work for the free slots, and returns how much it was. If none is free, it waits until one is. */
  fill(begin: BeginWork): Promise<number>;
  /** Nothing more is begun. Resolves when all work has ended. */
  close(): Promise<void>;
}

type BeginWork = (free: number) => Promise<readonly Promise<void>[]>;

/** A slow piece of work occupies its own slot and holds up no other: the next one begins as soon as any has ended. */
export function createSlots(count: number): Slots {
  const busy = new Set<Promise<void>>();
  let closed = false;
  let filling: Promise<unknown> = Promise.resolve();

  async function fill(begin: BeginWork): Promise<number> {
    if (busy.size >= count) await Promise.race(busy);
    if (closed) return 0;
    const begun = await begin(count - busy.size);
    for (const work of begun) {
      const ended = work.finally(() => busy.delete(ended));
      busy.add(ended);
    }
    return begun.length;
  }

  return {
    fill(begin) {
      const filled = fill(begin);
      filling = filled.catch(() => undefined);
      return filled;
    },
    async close() {
      closed = true;
      await filling;
      await Promise.all(busy);
    },
  };
}
