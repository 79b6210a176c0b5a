'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { api } from '#app/trpc/client.ts';

/** After a lost connection; the next answer may be minutes away and nobody should be hammered for it. */
const afterTroubleMs = 3_000;

/** Keeps the page true while it is looked at: the server answers as soon as there is something new. */
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
        await pause(afterTroubleMs, signal);
      }
    } catch {
      await pause(afterTroubleMs, signal);
    }
  }
}

function visible(signal: AbortSignal): Promise<void> {
  if (document.visibilityState === 'visible') return Promise.resolve();
  return new Promise((resolve) => {
    const look = () => {
      if (document.visibilityState !== 'visible' && !signal.aborted) return;
      document.removeEventListener('visibilitychange', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', look, { once: true });
  });
}

/** A pause that is cut short has nobody left to wake. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}
