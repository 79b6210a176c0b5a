import { afterEach, expect, test, vi } from 'vitest';

// One component, rendered by hand: effects run after the rendering, and a state that is set in one is there in the next.
const component = vi.hoisted(() => {
  const cells: unknown[] = [];
  const effects = new Map<number, { deps: readonly unknown[]; end: () => void }>();
  let due: (() => void)[] = [];
  let index = 0;
  return {
    useState(initial: unknown) {
      const cell = index++;
      if (!(cell in cells)) cells[cell] = initial;
      const set = (next: unknown) => {
        cells[cell] = next;
      };
      return [cells[cell], set];
    },
    useEffect(start: () => () => void, deps: readonly unknown[]) {
      const cell = index++;
      const earlier = effects.get(cell);
      if (earlier && deps.every((value, at) => value === earlier.deps[at])) return;
      due.push(() => {
        earlier?.end();
        effects.set(cell, { deps, end: start() });
      });
    },
    useSyncExternalStore: (_: unknown, read: () => unknown) => read(),
    render<T>(hooks: () => T): T {
      index = 0;
      return hooks();
    },
    runEffects() {
      const running = due;
      due = [];
      for (const run of running) run();
    },
    unmount() {
      for (const { end } of effects.values()) end();
    },
  };
});
vi.mock('react', () => component);

const { useIdempotentMutation } = await import('./react.ts');

vi.stubGlobal('window', new EventTarget());
vi.stubGlobal('document', new EventTarget());
afterEach(() => {
  component.unmount();
  vi.unstubAllGlobals();
});

function useOrder(scope: string) {
  return useIdempotentMutation<string, string>({
    scope,
    send: async (command) => ({ kind: 'completed', result: `${scope}: ${command}` }),
    readStatus: async () => ({ kind: 'none' }),
  });
}

test('a component that is rendered for another scope does not show the result of the one before', async () => {
  const render = (scope: string) => component.render(() => useOrder(scope));
  render('order.1');
  component.runEffects();
  await vi.waitFor(() => expect(render('order.1').state).toEqual({ kind: 'ready' }));
  render('order.1').submit('paid');
  await vi.waitFor(() => expect(render('order.1').state).toEqual({ kind: 'done', result: 'order.1: paid' }));

  const other = render('order.2');
  expect(other.state.kind).toBe('restoring');
  expect([other.key, other.sent]).toEqual([undefined, undefined]);
  component.runEffects();
  await vi.waitFor(() => expect(render('order.2').state).toEqual({ kind: 'ready' }));
  expect(render('order.2').key).not.toBe(render('order.1').key);
});
