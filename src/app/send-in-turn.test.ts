import { afterEach, beforeEach, expect, it, vi } from 'vitest';

type Send = typeof import('./send-in-turn.ts').sendInTurn;

/** Every tab has its own copy of the module; the locks are the browser's. */
async function openTab(): Promise<Send> {
  vi.resetModules();
  return (await import('./send-in-turn.ts')).sendInTurn;
}

/** A server action reads the cookie when it is sent, and its response sets it. */
function openCart() {
  let cookie: readonly string[] = [];
  const add = (product: string) => async () => {
    const before = cookie;
    await new Promise((resolve) => setImmediate(resolve));
    cookie = [...before, product];
  };
  return { add, read: () => cookie };
}

const never = () => new Promise<void>(() => undefined);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('what two tabs add to the cart at the same time is all in it', async () => {
  const [first, second] = [await openTab(), await openTab()];
  const cart = openCart();
  await Promise.all([first(cart.add('mug')), second(cart.add('kettle')), first(cart.add('beans'))]);
  expect([...cart.read()].sort()).toEqual(['beans', 'kettle', 'mug']);
});

it('where the browser has no locks, the requests of a page are still sent one after the other', async () => {
  vi.stubGlobal('navigator', {});
  const send = await openTab();
  const cart = openCart();
  await Promise.all([send(cart.add('mug')), send(cart.add('kettle'))]);
  expect(cart.read()).toEqual(['mug', 'kettle']);
});

it('a request that failed rejects, and the next one is sent', async () => {
  const [first, second] = [await openTab(), await openTab()];
  const cart = openCart();
  const failed = first(() => Promise.reject(new Error('no response')));
  const added = second(cart.add('mug'));
  await expect(failed).rejects.toThrow('no response');
  await added;
  expect(cart.read()).toEqual(['mug']);
});

it('a request that never ends delays those of other tabs by five seconds, once', async () => {
  const [first, second] = [await openTab(), await openTab()];
  const cart = openCart();
  const sent = Promise.withResolvers<void>();
  void first(() => {
    sent.resolve();
    return never();
  });
  await sent.promise;
  const add = vi.fn(cart.add('mug'));
  const added = second(add);
  await vi.advanceTimersByTimeAsync(4_999);
  expect(add).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await added;
  await second(cart.add('kettle'));
  expect(cart.read()).toEqual(['mug', 'kettle']);
});
