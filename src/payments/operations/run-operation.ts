import type { Engine, OperationRequest, Outcome } from '#idempotency/index.ts';
import type { Prisma } from '#prisma';
import type { PaymentProvider } from '../provider.ts';
import type { OperationKind } from './operation-kind.ts';

/** Runs one request for an operation, for callers that are neither tRPC nor HTTP. */
export function runOperation<Command, Body>(
  {
    engine,
    provider,
  }: { readonly engine: Engine<Prisma.TransactionClient>; readonly provider: PaymentProvider },
  kind: OperationKind<Command, Body>,
  caller: Omit<OperationRequest, 'input' | 'atClaim'>,
  command: Command,
): Promise<Outcome> {
  const atClaim = kind.atClaim?.(command);
  return engine.run(
    kind.definition,
    { ...caller, input: command, ...(atClaim && { atClaim }) },
    (execution) => kind.handle(provider, execution, command),
  );
}
