import type { Engine } from '#idempotency/index.ts';
import { type ExceptionRefund, isBooked, type PaymentProvider, refundException } from '#payments/index.ts';
import type { Prisma, PrismaClient } from '#prisma';
import { type Actor, actorOf, writeAuditEntry } from '../audit/write-audit-entry.ts';
import {
  isMadeAlone,
  readRefundLimits,
  refundedAlone,
  refundLimitProblems,
} from '../refunds/refund-limits.ts';

type Tx = Prisma.TransactionClient;

interface Services {
  readonly db: PrismaClient;
  readonly engine: Engine<Tx>;
  readonly provider: PaymentProvider;
}

/** Rolls the decision back. */
class AboveLimit extends Error {}

/**
 * An operator gives the money of an exception back. Above the tenant's limit a payment in the books is refunded on its own page, where
 * it is proposed to a second person. Money that was never booked is not the shop's to keep. A refund that the bank returned has been
 * decided before, but one that an operator made alone counts together with those made alone since.
 */
export async function refundAsOperator(
  services: Services,
  person: Actor,
  { id, reason }: { readonly id: string; readonly reason: string },
): Promise<ExceptionRefund> {
  const spec = refundLimitProblems.refund_takes_second_person;
  try {
    const refunded = await refundException(services, person.tenantId, id, {
      actor: actorOf(person),
      reason,
      writes: async (tx) => {
        if (await isAboveLimit(tx, person.tenantId, id, 'decided')) throw new AboveLimit();
        await writeAuditEntry(tx, person, {
          action: 'exception.refund',
          subject: { type: 'exception', id },
          reason,
        });
      },
      onlyIf: {
        code: spec.code,
        condition: async (tx) =>
          (await isAboveLimit(tx, person.tenantId, id, 'reserved')) ? { spec } : undefined,
      },
    });
    return refunded.kind === 'not_yet' && refunded.code === spec.code ? aboveLimit : refunded;
  } catch (error) {
    if (error instanceof AboveLimit) return aboveLimit;
    throw error;
  }
}

const aboveLimit = { kind: 'not_yet', code: 'above_limit' } as const;

/** Once the refund is reserved, it counts among the payment's refunds itself. */
async function isAboveLimit(
  tx: Tx,
  tenantId: string,
  id: string,
  when: 'decided' | 'reserved',
): Promise<boolean> {
  const { payment, refund, ...exception } = await tx.reconciliationException.findUniqueOrThrow({
    where: { tenantId_id: { tenantId, id } },
    include: { payment: true, refund: true },
  });
  const limit = (await readRefundLimits(tx, tenantId)).find(({ currency }) => currency === payment.currency);
  if (!limit) return false;
  const alone = await refundedAlone(tx, tenantId, payment.id);
  if (refund) {
    if (!(await isMadeAlone(tx, refund))) return false;
    return alone + (when === 'decided' ? Number(refund.amountMinor) : 0) > limit.amountMinor;
  }
  // What is left can only become less until it is reserved.
  if (when === 'reserved' || !isBooked(exception, payment)) return false;
  return Number(payment.amountMinor - payment.refundedMinor) + alone > limit.amountMinor;
}
