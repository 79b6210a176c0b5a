import { expect, test } from 'vitest';
import { createStorageChannel, openBroadcastChannel, type TabMessage } from './tab-channel.ts';

const waiting: TabMessage<string> = {
  kind: 'state',
  state: { kind: 'waiting', tries: 2, why: 'no_response', resumesAt: 5 },
};

/** Two windows over one storage: a change raises an event in the other window only. */
function createWindows() {
  const windows = [new EventTarget(), new EventTarget()] as const;
  const [one, other] = windows.map((own) => {
    const setItem = (key: string, newValue: string) => {
      for (const target of windows) {
        if (target !== own) target.dispatchEvent(Object.assign(new Event('storage'), { key, newValue }));
      }
    };
    return createStorageChannel({ setItem } as Storage, own);
  });
  if (!one || !other) throw new Error('Two windows were created.');
  return { one, other };
}

test('without BroadcastChannel, storage events carry messages to the other tabs of the same scope only', () => {
  const { one, other } = createWindows();
  const received: TabMessage<string>[] = [];
  const here = one<string>('order-1', (message) => received.push(message));
  const there = other<string>('order-1', (message) => received.push(message));
  const elsewhere = other<string>('order-2', () => expect.unreachable());
  here.post(waiting);
  here.post(waiting);
  expect(received).toEqual([waiting, waiting]);
  there.close();
  here.post(waiting);
  expect(received).toHaveLength(2);
  elsewhere.close();
});

test('a BroadcastChannel carries states unchanged', async () => {
  const received = new Promise<TabMessage<string>>((resolve) => {
    const there = openBroadcastChannel<string>('order-1', (message) => {
      there.close();
      resolve(message);
    });
  });
  const here = openBroadcastChannel<string>('order-1', () => undefined);
  here.post(waiting);
  expect(await received).toEqual(waiting);
  here.close();
});
