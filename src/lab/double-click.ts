import { randomUUID } from 'node:crypto';
import type { Engine } from '#idempotency/index.ts';
import type { CreatePayment, OperationKind, PaymentProvider, PaymentResponse } from '#payments/index.ts';
import type { Prisma } from '#prisma';
import type { Charge, ProviderLedger } from './ledger.ts';

export interface LaneResult {
  readonly lane: 'protected' | 'unprotected';
  /** The result of each click. */
  readonly responses: readonly string[];
  readonly charges: readonly Charge[];
}

/** Sends simultaneous clicks through two lanes to the same provider. Only the protected lane goes through the engine. */
export async function runDoubleClick(
  parts: {
    readonly engine: Engine<Prisma.TransactionClient>;
    readonly provider: PaymentProvider;
    readonly ledger: ProviderLedger;
    /** The operation that charges. */
    readonly pay: OperationKind<CreatePayment, PaymentResponse>;
    readonly tenantId: string;
  },
  clicks: number,
): Promise<readonly [LaneResult, LaneResult]> {
  const { engine, provider, ledger, pay, tenantId } = parts;
  return Promise.all([runProtected(), runUnprotected()]);

  async function runProtected(): Promise<LaneResult> {
    const command = commandFor('protected');
    const key = randomUUID();
    const responses = await Promise.all(
      times(clicks, async () => {
        const request = { tenantId, principal: 'lab', keyHeader: key, input: command };
        const outcome = await engine.run(pay.definition, request, (execution) =>
          pay.handle(provider, execution, command),
        );
        if (outcome.kind === 'refused') return outcome.problem.spec.code;
        return outcome.kind === 'completed' && outcome.replayed ? 'replayed' : outcome.kind;
      }),
    );
    return { lane: 'protected', responses, charges: await ledger.chargesFor(tenantId, command.reference) };
  }

  /** A checkout without idempotency: every click is a payment of its own. */
  async function runUnprotected(): Promise<LaneResult> {
    const command = commandFor('unprotected');
    const responses = await Promise.all(
      times(clicks, async () => {
        const click = { ...command, tenantId, operationId: randomUUID(), generation: 1 };
        const created = await provider.createIntent(click);
        if (created.kind !== 'responded') return created.kind;
        const confirmed = await provider.confirmIntent(created.intent.id, click);
        return confirmed.kind === 'responded' ? confirmed.intent.state : confirmed.kind;
      }),
    );
    return { lane: 'unprotected', responses, charges: await ledger.chargesFor(tenantId, command.reference) };
  }
}

function commandFor(lane: string): CreatePayment {
  return {
    amountMinor: 4200,
    currency: 'eur',
    paymentMethod: 'pm_card_visa',
    reference: `lab-${lane}-${randomUUID()}`,
  };
}

function times<T>(count: number, work: () => Promise<T>): Promise<T>[] {
  return Array.from({ length: count }, work);
}
