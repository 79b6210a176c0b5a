'use client';

import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { errorMessage } from '#app/trpc/error-message.ts';
import { openAnew } from './open-anew.ts';

/**
 * A mutation of the console. When it is done, the page is rendered again on the server; or `goTo` is opened, if it is another
 * shop then. While it runs a second click does nothing.
 */
export function useCommand<Output, Failure, Input>(
  options: UseMutationOptions<Output, Failure, Input>,
  goTo?: string,
) {
  const router = useRouter();
  const mutation = useMutation<Output, Failure, Input>({
    ...options,
    onSuccess: async (...result) => {
      await options.onSuccess?.(...result);
      if (goTo) openAnew(goTo);
      else router.refresh();
    },
  });
  return {
    busy: mutation.isPending,
    /** What was sent last. */
    input: mutation.variables,
    error: mutation.error,
    /** The error as text, for the person who clicked. */
    failure: mutation.isError ? errorMessage(mutation.error) : undefined,
    done: mutation.isSuccess,
    result: mutation.data,
    reset: mutation.reset,
    run: (input: Input) => {
      if (!mutation.isPending) mutation.mutate(input);
    },
    /** Throws. For a dialog that shows the error itself. */
    send: mutation.mutateAsync,
  };
}
