import { createCombinedDriver } from '#idempotency/stores/prisma.ts';
import {
  createPaymentKind,
  type PaymentProvider,
  type ProviderResult,
  runOperation,
} from '#payments/index.ts';
import { openDatabase } from '#server/database.ts';
import { openEngine } from './open-engine.ts';
import { type BenchProvider, benchTenant, type OpenOptions, responseOf, type Workload } from './workload.ts';

/** The real `createPayment`, with all its rows; only the provider is in this process. */
export function openPaymentWorkload(options: OpenOptions): Workload {
  const db = openDatabase(options.url);
  const opened = openEngine(options, (pool) => createCombinedDriver(pool, db));
  const parts = { engine: opened.engine, provider: inProcess(options.provider) };
  return {
    async pay(key, { amountCents }) {
      const caller = { tenantId: benchTenant, principal: 'bench', keyHeader: key };
      const outcome = await runOperation(parts, createPaymentKind, caller, {
        amountMinor: amountCents,
        currency: 'eur',
        paymentMethod: 'pm_card_visa',
        reference: key,
      });
      const { paymentId } = responseOf<{ paymentId: string }>(outcome);
      // The charge's id is on the payment's row; the response has the payment's, which is as good to compare by.
      return { chargeId: paymentId };
    },
    async close() {
      await Promise.all([opened.close(), db.$disconnect()]);
    },
  };
}

type Created = Parameters<PaymentProvider['createIntent']>[0];

/** Creating an intent takes no time, confirming it is the charge. */
function inProcess(provider: BenchProvider): PaymentProvider {
  const created = new Map<string, Created>();
  const notMeasured = () => Promise.reject(new Error('The benchmark makes no such call.'));
  let count = 0;
  return {
    async createIntent(request) {
      const id = `pi_${process.pid}_${++count}`;
      created.set(id, request);
      return responded(id, 'created', request);
    },
    async confirmIntent(id) {
      const request = created.get(id);
      if (!request) throw new Error(`There is no intent ${id}.`);
      created.delete(id);
      return responded(id, 'succeeded', request, await provider.charge(request.reference));
    },
    retrieveIntent: notMeasured,
    cancelIntent: notMeasured,
    createRefund: notMeasured,
    findRefund: notMeasured,
    findCharges: notMeasured,
    listCreated: notMeasured,
    listEvents: notMeasured,
    ping: notMeasured,
  };
}

function responded(
  id: string,
  state: 'created' | 'succeeded',
  { operationId, generation, amountMinor, currency, reference, paymentMethod }: Created,
  chargeId?: string,
): ProviderResult {
  const money = { amountMinor, currency, reference, paymentMethod };
  const unset = { declineCode: undefined, actionUrl: undefined, createdAt: undefined };
  return { kind: 'responded', intent: { id, state, operationId, generation, chargeId, ...money, ...unset } };
}
