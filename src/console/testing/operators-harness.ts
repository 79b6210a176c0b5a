import { randomUUID } from 'node:crypto';
import {
  createRefund,
  createRefundOperation,
  type PaymentProvider,
  type ProviderResult,
  type RefundResult,
} from '#payments/index.ts';
import { command, newKey, openPaymentStand } from '#payments/testing/harness.ts';
import {
  createPaymentInvestigator,
  createReconciler,
  createRefundInvestigator,
  createVerdicts,
} from '#reconciliation/index.ts';
import type { Role } from '../members/membership.ts';
import type { Person } from '../resolution/resolve.ts';

/** What the provider is made to say, where the real sandbox would have to be waited for, or would never say it. */
export interface Script {
  retrieve?: (real: ProviderResult) => ProviderResult | Promise<ProviderResult>;
  cancel?: (real: () => Promise<ProviderResult>) => Promise<ProviderResult>;
  findRefund?: () => RefundResult | undefined;
}

/** A shop's operators with everything they work with: real PostgreSQL, real sandbox, and a provider that can be scripted. */
export async function openDesk() {
  const stand = await openPaymentStand();
  const { db, store, engine } = stand;
  const script: Script = {};
  const provider: PaymentProvider = {
    ...stand.provider,
    async retrieveIntent(id) {
      const real = await stand.provider.retrieveIntent(id);
      return script.retrieve ? script.retrieve(real) : real;
    },
    cancelIntent(id) {
      const real = () => stand.provider.cancelIntent(id);
      return script.cancel ? script.cancel(real) : real();
    },
    async findRefund(request) {
      return script.findRefund ? script.findRefund() : stand.provider.findRefund(request);
    },
  };
  const investigators = [
    createPaymentInvestigator({ db, provider }),
    createRefundInvestigator({ db, provider }),
  ];
  const parts = { store, engine, investigators };
  const reconciler = createReconciler(parts);
  const verdicts = createVerdicts(parts);

  /** A payment whose outcome nobody knows, by the fault of this card. */
  async function payInto(paymentMethod: string) {
    const wish = command({ paymentMethod });
    const key = newKey();
    const outcome = await stand.pay(wish, key);
    if (outcome.kind !== 'pending') throw new Error(`Expected pending, got ${JSON.stringify(outcome)}`);
    return { wish, key, operationId: outcome.operationId };
  }

  /** A refund whose outcome nobody knows, of a payment that succeeded; whether it was made is for the test to say. */
  async function refundInto(made: boolean) {
    const wish = command();
    const paid = await stand.pay(wish, newKey());
    if (paid.kind !== 'answered') throw new Error(`Expected an answer, got ${JSON.stringify(paid)}`);
    const { paymentId } = JSON.parse(paid.answer.body) as { paymentId: string };
    const lost: PaymentProvider = {
      ...stand.provider,
      async createRefund(request) {
        if (made) await stand.provider.createRefund(request);
        return { kind: 'ambiguous', code: 'provider_timeout' };
      },
    };
    const request = {
      tenantId: stand.tenantId,
      principal: 'tester',
      keyHeader: newKey(),
      input: { paymentId },
    };
    const outcome = await engine.run(createRefundOperation, request, (execution) =>
      createRefund(lost, execution, { paymentId }),
    );
    if (outcome.kind !== 'pending') throw new Error(`Expected pending, got ${JSON.stringify(outcome)}`);
    return { wish, paymentId, operationId: outcome.operationId };
  }

  const desk = { db, reconciler, verdicts };
  return { ...stand, provider, realProvider: stand.provider, script, desk, payInto, refundInto };
}

export type OperatorsDesk = Awaited<ReturnType<typeof openDesk>>;

export function person(tenantId: string, role: Role): Person {
  const userId = randomUUID();
  return { tenantId, userId, email: `${role}-${userId.slice(0, 4)}@example.com`, role };
}
