'use client';

import { useMutation } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { errorMessage } from '#app/trpc/error-message.ts';

/** One action at a time: `busy` while it runs, `failure` as text when it failed, and a refreshed page when it is done. */
export function useAction() {
  const router = useRouter();
  const mutation = useMutation({ mutationFn: (work: () => Promise<unknown>) => work() });

  /** `goTo`: the page to open afterwards, if it is another one. */
  async function run<T>(work: () => Promise<T>, goTo?: string): Promise<{ done: T } | undefined> {
    if (mutation.isPending) return undefined;
    try {
      const done = (await mutation.mutateAsync(work)) as T;
      if (goTo) router.push(goTo);
      router.refresh();
      return { done };
    } catch {
      return undefined;
    }
  }

  return {
    busy: mutation.isPending,
    failure: mutation.isError ? errorMessage(mutation.error) : undefined,
    run,
  };
}
