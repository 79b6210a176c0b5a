import { expect, test } from 'vitest';
import { createStorageChannel, type News, openBroadcastChannel } from './tab-channel.ts';

const waiting: News<string> = {
  kind: 'state',
  state: { kind: 'waiting', tries: 2, why: 'no_answer', resumesAt: 5 },
};

/** Two windows over one storage: a change is told to the other, never to who made it. */
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
  if (!one || !other) throw new Error('There are two.');
  return { one, other };
}

test('without channels, storage carries the news to the other tabs of the same attempt only', () => {
  const { one, other } = createWindows();
  const heard: News<string>[] = [];
  const here = one<string>('order-1', (news) => heard.push(news));
  const there = other<string>('order-1', (news) => heard.push(news));
  const elsewhere = other<string>('order-2', () => expect.unreachable());
  here.post(waiting);
  here.post(waiting);
  expect(heard).toEqual([waiting, waiting]);
  there.close();
  here.post(waiting);
  expect(heard).toHaveLength(2);
  elsewhere.close();
});

test('a channel carries every state as it is', async () => {
  const heard = new Promise<News<string>>((resolve) => {
    const there = openBroadcastChannel<string>('order-1', (news) => {
      there.close();
      resolve(news);
    });
  });
  const here = openBroadcastChannel<string>('order-1', () => undefined);
  here.post(waiting);
  expect(await heard).toEqual(waiting);
  here.close();
});
