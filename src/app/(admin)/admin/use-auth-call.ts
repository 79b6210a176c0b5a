'use client';

import { useMutation } from '@tanstack/react-query';
import { getQueryClient } from '#app/trpc/provider.tsx';
import { type AuthProblem, authResult } from './auth-client.ts';

type AuthCall<Input, Data> = (input: Input) => Parameters<typeof authResult<Data>>[0];

class Refusal extends Error {
  readonly problem: AuthProblem;

  constructor(problem: AuthProblem) {
    super(problem.code ?? `status ${problem.status}`);
    this.problem = problem;
  }
}

/**
 * A call of better-auth's own client as a mutation. While it runs a second one does nothing. The pages on which people sign
 * in have no provider, so the mutation names its query client.
 */
export function useAuthCall<Input, Data>(
  call: AuthCall<Input, Data>,
  on: {
    readonly onDone: (data: Data) => void;
    readonly onProblem?: (problem: AuthProblem) => void;
  },
) {
  const mutation = useMutation(
    {
      mutationFn: async (input: Input) => {
        const { data, problem } = await authResult<Data>(call(input));
        if (problem) throw new Refusal(problem);
        return data as Data;
      },
      onSuccess: (data) => on.onDone(data),
      onError: (error) => on.onProblem?.(problemOf(error)),
    },
    getQueryClient(),
  );
  return {
    busy: mutation.isPending,
    done: mutation.isSuccess,
    problem: mutation.error ? problemOf(mutation.error) : undefined,
    reset: mutation.reset,
    run: (input: Input) => {
      if (!mutation.isPending) mutation.mutate(input);
    },
  };
}

function problemOf(error: Error): AuthProblem {
  return error instanceof Refusal ? error.problem : { status: 0 };
}
