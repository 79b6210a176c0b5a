import { useMutation, useQuery } from '@tanstack/react-query';
import { TRPCClientError } from '@trpc/client';
import { useTRPC } from '#app/trpc/provider.tsx';
import type { CutPoint } from '#ui/lab/lab-copy.ts';

/** Often enough that the diagram grows while the run goes on. */
const followEveryMs = 300;

/** Starts runs of one scenario, and reads the last one while it goes on. */
export function useRun() {
  const trpc = useTRPC();
  const start = useMutation(trpc.lab.start.mutationOptions());
  const runId = start.data?.runId;
  const run = useQuery({
    ...trpc.lab.read.queryOptions({ runId: runId ?? '' }),
    enabled: runId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) =>
      isGone(state.error) || (state.data && state.data.status !== 'running') ? false : followEveryMs,
  });
  return {
    start: (input: { scenario: string; seed: number; cut?: CutPoint }) => start.mutate(input),
    run: runId === undefined ? undefined : run.data,
    busy:
      start.isPending ||
      (runId !== undefined && !isGone(run.error) && (run.data?.status ?? 'running') === 'running'),
    error: start.error ?? run.error,
  };
}

/** A run goes on while it cannot be read: the scenarios that overload or restart the server make readings fail. */
function isGone(error: unknown): boolean {
  return error instanceof TRPCClientError && error.data?.code === 'NOT_FOUND';
}
