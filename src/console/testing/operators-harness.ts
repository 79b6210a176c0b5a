import { randomUUID } from 'node:crypto';
import type { OperationRef } from '#idempotency/index.ts';
import {
  createInvestigators,
  createRefundKind,
  type PaymentProvider,
  type ProviderResult,
  type RefundResult,
} from '#payments/index.ts';
import { command, newKey, openPaymentHarness } from '#payments/testing/harness.ts';
import { createAssertions, createReconciler } from '#reconciliation/index.ts';
import type { Role } from '../members/membership.ts';
import type { Person } from '../resolution/resolve.ts';

/** Provider results that the real sandbox gives only after a while, or never. */
export interface Script {
  retrieve?: (real: ProviderResult) => ProviderResult | Promise<ProviderResult>;
  cancel?: (real: () => Promise<ProviderResult>) => Promise<ProviderResult>;
  findRefund?: () => RefundResult | undefined;
}

/** The services that operators use, on a real PostgreSQL and the real sandbox, with provider results that can be scripted. */
export async function openOperatorsHarness() {
  const payments = await openPaymentHarness();
  const { db, store, engine } = payments;
  const script: Script = {};
  const provider: PaymentProvider = {
    ...payments.provider,
    async retrieveIntent(id) {
      const real = await payments.provider.retrieveIntent(id);
      return script.retrieve ? script.retrieve(real) : real;
    },
    cancelIntent(id) {
      const real = () => payments.provider.cancelIntent(id);
      return script.cancel ? script.cancel(real) : real();
    },
    async findRefund(request) {
      return script.findRefund ? script.findRefund() : payments.provider.findRefund(request);
    },
  };
  const investigators = createInvestigators({ db, provider });
  const parts = { store, engine, investigators };
  const reconciler = createReconciler(parts);
  const assertions = createAssertions(parts);

  /** A payment whose outcome is unknown because of the fault that this card causes. */
  async function payUnknown(paymentMethod: string) {
    const payment = command({ paymentMethod });
    const key = newKey();
    const outcome = await payments.pay(payment, key);
    if (outcome.kind !== 'pending') throw new Error(`Expected pending, got ${JSON.stringify(outcome)}`);
    return { command: payment, key, operationId: outcome.operationId };
  }

  /** A refund whose outcome is unknown, of a payment that succeeded. `made`: whether the provider made the refund. */
  async function refundUnknown(made: boolean) {
    const paid = await payments.pay(command(), newKey());
    if (paid.kind !== 'completed') throw new Error(`Expected a response, got ${JSON.stringify(paid)}`);
    const { paymentId } = JSON.parse(paid.response.body) as { paymentId: string };
    const lost: PaymentProvider = {
      ...payments.provider,
      async createRefund(request) {
        if (made) await payments.provider.createRefund(request);
        return { kind: 'ambiguous', code: 'provider_timeout' };
      },
    };
    const request = {
      tenantId: payments.tenantId,
      principal: 'tester',
      keyHeader: newKey(),
      input: { paymentId },
    };
    const outcome = await engine.run(createRefundKind.definition, request, (execution) =>
      createRefundKind.handle(lost, execution, { paymentId, reference: 'return-1' }),
    );
    if (outcome.kind !== 'pending') throw new Error(`Expected pending, got ${JSON.stringify(outcome)}`);
    return { paymentId, operationId: outcome.operationId };
  }

  /** A member of the shop, whom the administrator appointed. */
  async function appoint(role: Role): Promise<Person> {
    const appointed = { ...person(payments.tenantId, role), needs: role };
    const { userId, email, tenantId } = appointed;
    await db.user.create({ data: { id: userId, email, name: role } });
    await db.member.create({ data: { id: userId, organizationId: tenantId, userId, role } });
    return appointed;
  }

  const services = { db, reconciler, assertions };
  const refOf = (id: string): OperationRef => ({ tenantId: payments.tenantId, id });
  const scripted = { provider, realProvider: payments.provider, script };
  return { ...payments, ...scripted, services, refOf, payUnknown, refundUnknown, appoint };
}

export type OperatorsHarness = Awaited<ReturnType<typeof openOperatorsHarness>>;

/** Not a member of any shop: for what is tried without approving. */
export function person(tenantId: string, role: Role): Person {
  const userId = randomUUID();
  return { tenantId, userId, email: `${role}-${userId.slice(0, 4)}@example.com`, role };
}
