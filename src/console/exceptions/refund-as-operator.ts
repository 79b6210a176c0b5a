import type { Engine } from '#idempotency/index.ts';
import { type ExceptionRefund, isBooked, type PaymentProvider, refundException } from '#payments/index.ts';
import type { Prisma, PrismaClient, Refund } from '#prisma';
import { type Actor, actorOf, writeAuditEntry } from '../audit/write-audit-entry.ts';
import {
  isMadeAlone,
  readRefundLimits,
  refundedAlone,
  refundLimitProblems,
} from '../refunds/refund-limits.ts';
import { refundRequestProblems, refundsBeforeOf } from '../refunds/refund-request.ts';

type Tx = Prisma.TransactionClient;

interface Services {
  readonly db: PrismaClient;
  readonly engine: Engine<Tx>;
  readonly provider: PaymentProvider;
}

/** Rolls the decision back. */
class Refused extends Error {
  readonly code: 'changed' | 'outdated' | 'above_limit';
  constructor(code: Refused['code']) {
    super(code);
    this.code = code;
  }
}

interface ExceptionToRefund {
  readonly id: string;
  /** The one that the operator saw. It is another one when something else has been found out about the exception since. */
  readonly generation: number;
  readonly reason: string;
  /** How many refunds of its payment the operator saw, without one that was made for the exception itself. */
  readonly refundsBefore: number;
}

const specs = {
  outdated: refundRequestProblems.refund_overtaken,
  above_limit: refundLimitProblems.refund_takes_second_person,
};

/**
 * An operator gives the money of an exception back. Above the tenant's limit a payment in the books is refunded on its own page, where
 * it is proposed to a second person. Money that was never booked is not the shop's to keep. A refund that the bank returned has been
 * decided before, but one that an operator made alone counts together with those made alone since. It may have been made again on the
 * payment's page: then it is refunded here only by an operator who has seen that.
 */
export async function refundAsOperator(
  services: Services,
  person: Actor,
  request: ExceptionToRefund,
): Promise<ExceptionRefund> {
  const { id, reason } = request;
  const refusal = (tx: Tx, when: When) => refusalOf(tx, person.tenantId, request, when);
  try {
    const refunded = await refundException(services, person.tenantId, id, {
      actor: actorOf(person),
      reason,
      writes: async (tx) => {
        const code = (await isChanged(tx, person.tenantId, request))
          ? 'changed'
          : await refusal(tx, 'decided');
        if (code) throw new Refused(code);
        await writeAuditEntry(tx, person, {
          action: 'exception.refund',
          subject: { type: 'exception', id },
          reason,
        });
      },
      onlyIf: {
        codes: Object.values(specs).map(({ code }) => code),
        condition: async (tx) => {
          const code = await refusal(tx, 'reserved');
          return code && { spec: specs[code] };
        },
      },
    });
    return refunded.kind === 'not_yet' ? { kind: 'not_yet', code: ownCode(refunded.code) } : refunded;
  } catch (error) {
    if (error instanceof Refused) return { kind: 'not_yet', code: error.code };
    throw error;
  }
}

function ownCode(code: string): string {
  return Object.entries(specs).find(([, spec]) => spec.code === code)?.[0] ?? code;
}

async function isChanged(tx: Tx, tenantId: string, { id, generation }: ExceptionToRefund): Promise<boolean> {
  return (await tx.reconciliationException.count({ where: { tenantId, id, generation } })) === 0;
}

/** Once the refund is reserved, it counts among the payment's refunds itself. */
type When = 'decided' | 'reserved';

async function refusalOf(
  tx: Tx,
  tenantId: string,
  { id, refundsBefore }: ExceptionToRefund,
  when: When,
): Promise<keyof typeof specs | undefined> {
  const { payment, refund, ...exception } = await tx.reconciliationException.findUniqueOrThrow({
    where: { tenantId_id: { tenantId, id } },
    include: { payment: true, refund: true },
  });
  const others = await tx.refund.findMany({
    where: { tenantId, paymentId: payment.id, status: { not: 'released' }, ...besides(exception) },
  });
  if (others.length > refundsBefore) return 'outdated';
  const limit = (await readRefundLimits(tx, tenantId)).find(({ currency }) => currency === payment.currency);
  if (!limit) return undefined;
  const alone = await refundedAlone(tx, tenantId, payment.id);
  const isAbove = (amountMinor: bigint) => Number(amountMinor) + alone > limit.amountMinor;
  if (refund) {
    const since = others.filter((one) => one.status !== 'failed' && one.createdAt > exception.foundAt);
    const isDecided = !(await isMadeAlone(tx, refund)) && !(await isAnyDecidedByTwo(tx, since));
    return !isDecided && isAbove(when === 'decided' ? refund.amountMinor : 0n) ? 'above_limit' : undefined;
  }
  // What is left can only become less until it is reserved.
  if (when === 'reserved' || !isBooked(exception, payment)) return undefined;
  return isAbove(payment.amountMinor - payment.refundedMinor) ? 'above_limit' : undefined;
}

/** Refunds other than the one that was asked for to end the exception. */
function besides({ refundOperationId }: { readonly refundOperationId: string | null }) {
  return refundOperationId === null ? {} : { operationId: { not: refundOperationId } };
}

/** Of console refunds above the limit; the second person's decision on a returned one was used for such a refund. */
async function isAnyDecidedByTwo(tx: Tx, refunds: readonly Refund[]): Promise<boolean> {
  for (const one of refunds) {
    if (refundsBeforeOf(one.reference) !== undefined && !(await isMadeAlone(tx, one))) return true;
  }
  return false;
}
