import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, vi } from 'vitest';

/**
 * Test files run one after another in the same process, because starting one and loading modules takes longer than most
 * files. Vitest runs this before each file. Afterwards the process is as it was: the environment, what our modules keep on
 * `globalThis`, and listeners for signals. Modules stay loaded; a file that replaces one with `vi.mock` resets them itself.
 */
const environment = { ...process.env };
const kept = new Set(ownSymbols());
const signals = ['SIGINT', 'SIGTERM'] as const;
const listeners = new Set(signals.flatMap((signal) => process.listeners(signal)));
const openBefore = countOpen();

/** Such as the services of the process, which are one for all copies of a module. */
function ownSymbols(): symbol[] {
  return Object.getOwnPropertySymbols(globalThis).filter(({ description }) =>
    description?.startsWith('paidonce.'),
  );
}

/** Servers that listen and processes that run. */
function countOpen(): Record<string, number> {
  const open = process.getActiveResourcesInfo();
  const count = (kind: string) => open.filter((one) => one === kind).length;
  return { servers: count('TCPServerWrap'), processes: count('ProcessWrap') };
}

function listLeft(): string[] {
  return Object.entries(countOpen()).flatMap(([kind, count]) => {
    const left = count - (openBefore[kind] ?? 0);
    return left > 0 ? [`${left} ${kind}`] : [];
  });
}

// A process ends, and a server closes, a moment after it was asked to; on a busy machine that may take seconds.
const graceMs = 20_000;

// Registered before the hooks of the file, so it runs after them.
afterAll(async () => {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  for (const symbol of ownSymbols()) if (!kept.has(symbol)) Reflect.deleteProperty(globalThis, symbol);
  for (const signal of signals) {
    for (const listener of process.listeners(signal)) {
      if (!listeners.has(listener)) process.off(signal, listener);
    }
  }
  vi.useRealTimers();
  const deadline = Date.now() + graceMs;
  while (listLeft().length > 0 && Date.now() < deadline) await delay(10);
  const left = listLeft();
  if (left.length > 0) throw new Error(`The file has left open: ${left.join(', ')}.`);
});
