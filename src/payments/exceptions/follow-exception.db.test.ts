import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEventFollower } from '../event-followers.ts';
import type { PaymentProvider } from '../provider.ts';
import { bodyOf, command, newKey, openPaymentHarness, type PaymentHarness } from '../testing/harness.ts';
import { createExceptionFollower } from './follow-exception.ts';
import { openException } from './open-exception.ts';

let harness: PaymentHarness;
beforeAll(async () => {
  harness = await openPaymentHarness();
});
afterAll(() => harness.close());

/** A charge that was found after its key had been released, and the event of its refund in the provider's dashboard. */
async function refundedInDashboard() {
  const { db, provider, sandbox, tenantId } = harness;
  const [input, key] = [command(), newKey()];
  await harness.pay(input, key, {
    ...provider,
    async confirmIntent(...call) {
      await provider.confirmIntent(...call);
      return { kind: 'not_executed', code: 'provider_unreachable' };
    },
  });
  const payment = await db.payment.findFirstOrThrow({ where: { reference: input.reference } });
  const intentId = payment.providerIntentId ?? '';
  await openException(db, { tenantId, paymentId: payment.id, intentId, reason: 'charged_after_release' });
  const made = await fetch(`${sandbox.url}/v1/refunds`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${sandbox.secretKey}` },
    body: new URLSearchParams({ payment_intent: intentId }),
  });
  const { id: objectId } = (await made.json()) as { id: string };
  const operation = harness.refOf(payment.operationId);
  const of = { operation, intentId, isFromDashboard: true };
  const event = { ...of, object: 'refund', objectId, state: 'succeeded' };
  const books = async () => {
    const { status, refundedMinor } = await db.payment.findFirstOrThrow({ where: { id: payment.id } });
    const exception = await db.reconciliationException.findFirstOrThrow({ where: { intentId } });
    return [status, Number(refundedMinor), exception.status];
  };
  return { event, books, payAgain: async () => bodyOf(await harness.pay(input, key)) };
}

const askedAgain = { kind: 'no_evidence', code: 'payment_not_booked' };

test.each(['before the exception is read', 'after it'])(
  'a refund in the dashboard of a charge that its own key books at that moment, %s, is booked as one of that payment',
  async (when) => {
    const { event, books, payAgain } = await refundedInDashboard();
    const provider: PaymentProvider = {
      ...harness.provider,
      async findRefund(wanted) {
        if (when === 'after it') await payAgain();
        return harness.provider.findRefund(wanted);
      },
    };
    if (when !== 'after it') await payAgain();
    const follower = createExceptionFollower({ db: harness.db, provider });
    expect(await follower.follow(event)).toEqual(askedAgain);
    expect(await books()).toEqual(['succeeded', 0, 'open']);
    // The event is processed again, by all followers.
    expect(await createEventFollower(harness).follow(event)).toMatchObject({ outcome: 'dashboard_refund' });
    expect(await books()).toEqual(['succeeded', 1200, 'open']);
    expect(await createExceptionFollower(harness).follow(event)).toBeUndefined();
  },
);
