'use client';

import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { TRPCClientError } from '@trpc/client';
import { errorMessage } from '#app/trpc/error-message.ts';
import { useTRPC } from '#app/trpc/provider.tsx';
import { ConfirmIdentity } from '#ui/admin/confirm-identity.tsx';
import { useCommand } from './use-command.ts';

/**
 * A command for which the server may ask the person to prove who they are. It is then sent again as it was. Render
 * `confirmation` next to the form.
 */
export function useConfirmedCommand<Output, Failure, Input>(
  { secondFactor }: { secondFactor: boolean },
  options: UseMutationOptions<Output, Failure, Input>,
) {
  const command = useCommand(options);
  const confirming = useMutation(useTRPC().account.confirm.mutationOptions());
  const needed = isConfirmationNeeded(command.error);

  async function confirm(proof: string): Promise<string | undefined> {
    try {
      await confirming.mutateAsync({ proof });
    } catch (error) {
      return errorMessage(error);
    }
    command.run(command.input as Input);
    return undefined;
  }

  const confirmation = (
    <ConfirmIdentity
      open={needed}
      by={secondFactor ? 'code' : 'password'}
      onProof={confirm}
      onCancel={command.reset}
    />
  );
  return { ...command, failure: needed ? undefined : command.failure, confirmation };
}

function isConfirmationNeeded(error: unknown): boolean {
  return error instanceof TRPCClientError && error.data?.code === 'PRECONDITION_REQUIRED';
}
