import type { SubmissionState } from './submission-state.ts';

/** Messages between the tabs of one scope. They are hints: if one is lost, the other tabs learn of it later. */
export type TabMessage<Result> =
  /** From the tab that sends: each state, the last of which is a `RestState`. */
  | { readonly kind: 'state'; readonly state: SubmissionState<Result> }
  /** From a tab that was just opened: the tab that sends publishes its state again. */
  | { readonly kind: 'state_request' }
  /** From a following tab: the pause before the next try ends now. */
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
const prefix = 'paidonce.submission.2.';

export const openBroadcastChannel: OpenChannel = (scope, receive) => {
  const channel = new BroadcastChannel(prefix + scope);
  channel.onmessage = ({ data }) => receive(data);
  return { post: (message) => channel.postMessage(message), close: () => channel.close() };
};

/** For browsers without BroadcastChannel: a change of an entry in local storage raises an event in the other tabs. */
export function createStorageChannel(storage: Storage, target: EventTarget): OpenChannel {
  return (scope, receive) => {
    const entry = `${prefix}${scope}.message`;
    const onStorage = (event: Event) => {
      const { key, newValue } = event as StorageEvent;
      if (key === entry && newValue) receive(JSON.parse(newValue).message);
    };
    target.addEventListener('storage', onStorage);
    return {
      post(message) {
        try {
          // Only a changed value raises an event, so a repeated message is made different.
          storage.setItem(entry, JSON.stringify({ message, nonce: `${Date.now()}-${Math.random()}` }));
        } catch {
          // The disk is full. The other tabs read the status themselves.
        }
      },
      close: () => target.removeEventListener('storage', onStorage),
    };
  };
}

export function channelOfBrowser(storage: Storage | undefined): OpenChannel {
  if ('BroadcastChannel' in globalThis) return openBroadcastChannel;
  if (storage) return createStorageChannel(storage, window);
  return () => ({ post: () => undefined, close: () => undefined });
}
