'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { wordsOfError } from '#app/trpc/error-message.ts';

/** One thing to do at a time: busy while it is under way, in words when it failed, and the page anew when it is done. */
export function useAction() {
  const router = useRouter();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();

  /** `goTo`: where one is afterwards, when that is not here. */
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
      setFailure(wordsOfError(error));
      return undefined;
    } finally {
      setBusy(false);
    }
  }

  return { busy, failure, setFailure, run };
}
