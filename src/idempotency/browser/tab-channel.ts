import type { SubmissionState } from './submission-state.ts';

/** Messages between the tabs about one attempt. If one is lost, the other tabs only know later. */
export type TabMessage<Result> =
  /** From the working tab: its state, and in the end the state in which it rests. */
  | { readonly kind: 'state'; readonly state: SubmissionState<Result> }
  /** From a tab that was just opened: the working tab publishes its state again. */
  | { readonly kind: 'state_request' }
  /** From another tab, where the shopper wants the next try now. */
  | { readonly kind: 'retry_now' };

export interface TabChannel<Result> {
  post(message: TabMessage<Result>): void;
  close(): void;
}

export type OpenChannel = <Result>(
  scope: string,
  receive: (message: TabMessage<Result>) => void,
) => TabChannel<Result>;

/** The number is the version of `TabMessage`: tabs from before and after a deploy must not read each other's messages. */
const prefix = 'paidonce.attempt.2.';

export const openBroadcastChannel: OpenChannel = (scope, receive) => {
  const channel = new BroadcastChannel(prefix + scope);
  channel.onmessage = ({ data }) => receive(data);
  return { post: (message) => channel.postMessage(message), close: () => channel.close() };
};

/** Where there is no BroadcastChannel: an entry in local storage, whose changes raise an event in the other tabs. */
export function createStorageChannel(storage: Storage, target: EventTarget): OpenChannel {
  return (scope, receive) => {
    const entry = `${prefix}${scope}.message`;
    const changed = (event: Event) => {
      const { key, newValue } = event as StorageEvent;
      if (key === entry && newValue) receive(JSON.parse(newValue).message);
    };
    target.addEventListener('storage', changed);
    return {
      post(message) {
        try {
          // Only a changed value raises an event, so an equal message needs something that differs.
          storage.setItem(entry, JSON.stringify({ message, at: Date.now(), once: Math.random() }));
        } catch {
          // A full disk: the other tabs read the status themselves.
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
