import type { OperationRecord } from '#idempotency/index.ts';
import {
  believedRefund,
  createRefundOperation,
  findRefundByOperation,
  type PaymentProvider,
  verdictOnRefund,
} from '#payments/index.ts';
import { type Finding, type Investigator, type Tx, wait } from './investigate.ts';
import { type Sighting, sightingOfRefund } from './sighting.ts';

/**
 * A provider forgets idempotency keys after a day, and a refund sent again after that is a second refund. An hour of
 * margin covers clocks that disagree.
 */
const resendWithinMs = 23 * 60 * 60 * 1000;

/**
 * A refund cannot be fenced, but sending it again under its old key is safe while the provider remembers the key: it
 * answers with what happened, or does what was wanted all along.
 */
export function createRefundInvestigator(parts: {
  readonly db: Tx;
  readonly provider: PaymentProvider;
}): Investigator {
  const { db, provider } = parts;

  return {
    operation: createRefundOperation,
    claims: { happened: 'refunded', didNot: 'not_refunded' },
    async investigate(record): Promise<Finding> {
      const refund = await findRefundByOperation(db, record.id);
      const intentId = refund?.payment.providerIntentId;
      if (!refund || !intentId) return wait('refund_missing');
      const request = { ...refund, intentId };
      const found = await provider.findRefund(request);
      const result = found ?? ((await isFresh(record)) ? await provider.createRefund(request) : undefined);
      if (!result) return wait('refund_not_found');
      const verdict = verdictOnRefund(refund, result);
      // Not reaching the provider now says nothing about what reached it then.
      if (verdict.kind === 'unknown' || result.kind === 'not_executed')
        return wait(result.kind === 'answered' ? 'provider_pending' : result.code);
      return { kind: 'verdict', verdict };
    },
    async examine(record): Promise<Sighting> {
      const refund = await findRefundByOperation(db, record.id);
      const intentId = refund?.payment.providerIntentId;
      if (!refund || !intentId) return { says: 'missing', facts: {} };
      return sightingOfRefund(await provider.findRefund({ ...refund, intentId }));
    },
    async believe(record, { facts }) {
      const refund = await findRefundByOperation(db, record.id);
      return refund && believedRefund(refund, facts.id);
    },
  };

  /** Judged by the database's clock. */
  async function isFresh(record: OperationRecord): Promise<boolean> {
    const [row] = await db.$queryRaw<{ fresh: boolean }[]>`
      SELECT created_at > clock_timestamp() - ${resendWithinMs}::bigint * interval '1 millisecond' AS fresh
      FROM idempotency_record WHERE id = ${record.id}::uuid`;
    return row?.fresh ?? false;
  }
}
