'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { api } from '#app/trpc/client.ts';

/** After a lost connection, so that a server that is down is not flooded with requests. */
const afterErrorMs = 3_000;

/** Keeps the page current while it is visible: the server responds as soon as there is a change. */
export function Follow({ operationId, version }: { operationId: string; version: string }) {
  const router = useRouter();
  useEffect(() => {
    const over = new AbortController();
    follow(operationId, version, over.signal, () => router.refresh());
    return () => over.abort();
  }, [operationId, version, router]);
  return null;
}

async function follow(
  operationId: string,
  version: string,
  signal: AbortSignal,
  changed: () => void,
): Promise<void> {
  while (!signal.aborted) {
    await visible(signal);
    try {
      const now = await api.operation.watch.query({ operationId, version }, { signal });
      if (signal.aborted) return;
      // The page that is rendered next starts a watch of its own, with its own version.
      if (now.version !== version) {
        changed();
        await pause(afterErrorMs, signal);
      }
    } catch {
      await pause(afterErrorMs, signal);
    }
  }
}

function visible(signal: AbortSignal): Promise<void> {
  if (document.visibilityState === 'visible') return Promise.resolve();
  return new Promise((resolve) => {
    const check = () => {
      if (document.visibilityState !== 'visible' && !signal.aborted) return;
      document.removeEventListener('visibilitychange', check);
      resolve();
    };
    document.addEventListener('visibilitychange', check);
    signal.addEventListener('abort', check, { once: true });
  });
}

/** Never resolves after an abort: the loop that waits for it has ended. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}
