'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { errorMessage } from '#app/trpc/error-message.ts';

/** One action at a time: `busy` while it runs, `failure` as text when it failed, and a refreshed page when it is done. */
export function useAction() {
  const router = useRouter();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();

  /** `goTo`: the page to open afterwards, if it is another one. */
  async function run<T>(work: () => Promise<T>, goTo?: string): Promise<{ done: T } | undefined> {
    if (busy) return undefined;
    setBusy(true);
    setFailure(undefined);
    try {
      const done = await work();
      if (goTo) router.push(goTo);
      router.refresh();
      return { done };
    } catch (error) {
      setFailure(errorMessage(error));
      return undefined;
    } finally {
      setBusy(false);
    }
  }

  return { busy, failure, setFailure, run };
}
