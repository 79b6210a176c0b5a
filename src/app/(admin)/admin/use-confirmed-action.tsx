'use client';

import { TRPCClientError } from '@trpc/client';
import { useState } from 'react';
import { api } from '#app/trpc/client.ts';
import { errorMessage } from '#app/trpc/error-message.ts';
import { ConfirmIdentity } from '#ui/admin/confirm-identity.tsx';
import { useAction } from './use-action.ts';

/**
 * An action for which the server may ask the person to prove who they are. It is then sent again as it was. Render
 * `confirmation` next to the form.
 */
export function useConfirmedAction({ secondFactor }: { secondFactor: boolean }) {
  const { busy, failure, run: runOnce } = useAction();
  const [again, setAgain] = useState<() => void>();

  async function run<T>(work: () => Promise<T>, then?: (done: T) => void): Promise<void> {
    const result = await runOnce(() =>
      work().catch((error: unknown) => {
        if (!isConfirmationNeeded(error)) throw error;
        setAgain(() => () => void run(work, then));
        return needed;
      }),
    );
    if (result && result.done !== needed) then?.(result.done as T);
  }

  async function confirm(proof: string): Promise<string | undefined> {
    try {
      await api.account.confirm.mutate({ proof });
    } catch (error) {
      return errorMessage(error);
    }
    setAgain(undefined);
    again?.();
    return undefined;
  }

  const confirmation = (
    <ConfirmIdentity
      open={again !== undefined}
      by={secondFactor ? 'code' : 'password'}
      onProof={confirm}
      onCancel={() => setAgain(undefined)}
    />
  );
  return { busy, failure, run, confirmation };
}

const needed = Symbol('The person has to confirm first.');

function isConfirmationNeeded(error: unknown): boolean {
  return error instanceof TRPCClientError && error.data?.code === 'PRECONDITION_REQUIRED';
}
