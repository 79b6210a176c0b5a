/** The same read for many readers at once, such as two hundred streams of one order that are woken by one change. */
export interface SharedReads {
  /** Readers with the same key get the same result, which a read made that began after they asked. */
  read<T>(key: string, read: () => Promise<T>): Promise<T>;
}

interface Flight {
  readonly result: Promise<unknown>;
  /** Begins when this one has ended, for all that asked meanwhile. */
  next: Promise<unknown> | undefined;
}

/**
 * A read that has begun may not have seen the change for which another reader asks, so that reader does not join it: all that come
 * while it is under way share the next one. One change costs two reads, however many there are to read it.
 */
export function createSharedReads(): SharedReads {
  const flights = new Map<string, Flight>();

  function begin<T>(key: string, read: () => Promise<T>): Promise<T> {
    const result = read();
    const flight: Flight = { result, next: undefined };
    flights.set(key, flight);
    const end = () => {
      if (!flight.next) flights.delete(key);
    };
    result.then(end, end);
    return result;
  }

  return {
    read<T>(key: string, read: () => Promise<T>) {
      const flight = flights.get(key);
      if (!flight) return begin(key, read);
      const beginNext = () => begin(key, read);
      flight.next ??= flight.result.then(beginNext, beginNext);
      return flight.next as Promise<T>;
    },
  };
}
