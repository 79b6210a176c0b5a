import type { AttemptState } from './submission-state.ts';

/** What tabs say to each other about one attempt. Nothing depends on its arrival but how soon the others know. */
export type News<Answer> =
  /** From the tab at work: how far it is, and at last how it came to rest. */
  | { readonly kind: 'state'; readonly state: AttemptState<Answer> }
  /** From a tab that has just come: who is at work, and how far? */
  | { readonly kind: 'who' }
  /** From a person in another tab: now rather than later. */
  | { readonly kind: 'hurry' };

export interface AttemptChannel<Answer> {
  post(news: News<Answer>): void;
  close(): void;
}

export type OpenChannel = <Answer>(
  scope: string,
  hear: (news: News<Answer>) => void,
) => AttemptChannel<Answer>;

/** The number counts what `News` has looked like: tabs from before and after a deploy do not understand each other. */
const prefix = 'paidonce.attempt.1.';

export const openBroadcastChannel: OpenChannel = (scope, hear) => {
  const channel = new BroadcastChannel(prefix + scope);
  channel.onmessage = ({ data }) => hear(data);
  return { post: (news) => channel.postMessage(news), close: () => channel.close() };
};

/** Where there are no channels: an entry in local storage, whose change the other tabs are told of. */
export function createStorageChannel(storage: Storage, target: EventTarget): OpenChannel {
  return (scope, hear) => {
    const entry = `${prefix}${scope}.news`;
    const changed = (event: Event) => {
      const { key, newValue } = event as StorageEvent;
      if (key === entry && newValue) hear(JSON.parse(newValue).news);
    };
    target.addEventListener('storage', changed);
    return {
      post(news) {
        try {
          // Told is only what differs, so that the same news twice needs something that does.
          storage.setItem(entry, JSON.stringify({ news, at: Date.now(), once: Math.random() }));
        } catch {
          // A full disk: the others look for themselves.
        }
      },
      close: () => target.removeEventListener('storage', changed),
    };
  };
}

export function channelOfBrowser(storage: Storage | undefined): OpenChannel {
  if ('BroadcastChannel' in globalThis) return openBroadcastChannel;
  if (storage) return createStorageChannel(storage, window);
  return () => ({ post: () => undefined, close: () => undefined });
}
