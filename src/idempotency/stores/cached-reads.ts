import type { Listener } from './postgres-listener.ts';

/** Bounds the memory of a process that serves many tenants. */
const maxEntries = 10_000;

/**
 * Values that every request needs and that rarely change, kept for a few seconds and dropped at once when a commit changes
 * them: the commit notifies the topic. While the process is not connected to hear that, nothing is kept. Neither is
 * a failure, nor the absence of a value, which may be created at any moment.
 *
 * A read that began before a change is forgotten by it, so that no later caller gets the old value.
 */
export function createCachedReads<Value>(options: {
  read(key: string): Promise<Value | undefined>;
  readonly listener: Pick<Listener, 'subscribe' | 'isConnected'>;
  /** Drops all values; one that ends with a colon is notified with a key after it, and drops the value of that key. */
  readonly topic: string;
  readonly cacheMs: number;
  readonly now?: () => number;
}): (key: string) => Promise<Value | undefined> {
  const { read, listener, topic, cacheMs, now = () => performance.now() } = options;
  const cache = new Map<string, { readonly until: number; readonly value: Promise<Value | undefined> }>();
  let subscribed = false;

  function subscribe(): void {
    if (subscribed) return;
    subscribed = true;
    listener.subscribe({
      onNotified: (notified) => {
        if (notified === topic) cache.clear();
        else if (topic.endsWith(':') && notified.startsWith(topic))
          cache.delete(notified.slice(topic.length));
      },
      onMissed: () => cache.clear(),
    });
  }

  return (key) => {
    subscribe();
    const cached = cache.get(key);
    if (cached && now() < cached.until) return cached.value;
    const value = read(key);
    if (!listener.isConnected) return value;
    const entry = { until: now() + cacheMs, value };
    cache.delete(key);
    cache.set(key, entry);
    if (cache.size > maxEntries) cache.delete(cache.keys().next().value ?? key);
    const forget = () => {
      if (cache.get(key) === entry) cache.delete(key);
    };
    value.then((found) => found === undefined && forget(), forget);
    return value;
  };
}
