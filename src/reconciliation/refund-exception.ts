import type { Engine } from '#idempotency/index.ts';
import {
  createRefund,
  createRefundOperation,
  findPaymentByOperation,
  type Payment,
  type PaymentProvider,
} from '#payments/index.ts';
import type { LateTruth, PrismaClient } from '#prisma';
import type { Tx } from './investigate.ts';

export type LateRefund =
  | { readonly kind: 'refunded' }
  /** The provider has not said that it is done; it is safe to ask for it again. */
  | { readonly kind: 'not_yet'; readonly code: string }
  | { readonly kind: 'not_open' };

interface Parts {
  readonly db: PrismaClient;
  readonly engine: Engine<Tx>;
  readonly provider: PaymentProvider;
}

/** What the engine says of a key whose operation is long over. */
const keyExpired = 'idempotency_key_expired';

/**
 * Sends the money of a late truth back, once: a second click, or a second operator, joins the first. What is in our
 * books is refunded through them, like any refund; what never was in our books is only sent back at the provider.
 */
export async function refundLateTruth(
  parts: Parts,
  tenantId: string,
  lateTruthId: string,
  decision: {
    readonly actor: string;
    readonly reason?: string;
    /** In the transaction that notes the decision, before any money moves. */
    readonly writes?: (tx: Tx) => Promise<void>;
  },
): Promise<LateRefund> {
  const { db } = parts;
  const late = await db.lateTruth.findFirst({
    where: { id: lateTruthId, tenantId, status: 'open' },
    include: { payment: { select: { operationId: true } }, refund: { select: { amountMinor: true } } },
  });
  const payment = late && (await findPaymentByOperation(db, late.payment.operationId));
  if (!late || !payment) return { kind: 'not_open' };
  if (!(await noteDecision())) return { kind: 'not_open' };

  const failure = isBooked(late, payment)
    ? await refundBooked(parts, late, payment.id, late.refund ? Number(late.refund.amountMinor) : undefined)
    : await refundUnbooked(parts, late, payment);
  if (failure) return { kind: 'not_yet', code: failure };
  // What is in the books has said so itself, when it was settled.
  await db.$executeRaw`
    UPDATE late_truth SET status = 'refunded', decided_at = clock_timestamp()
    WHERE id = ${lateTruthId}::uuid AND status = 'open'`;
  return { kind: 'refunded' };

  function noteDecision(): Promise<boolean> {
    return db.$transaction(async (tx) => {
      const noted = await tx.$executeRaw`
        UPDATE late_truth SET decided_by = ${decision.actor}, decision_reason = ${decision.reason ?? null}
        WHERE id = ${lateTruthId}::uuid AND status = 'open'`;
      if (noted === 1) await decision.writes?.(tx);
      return noted === 1;
    });
  }
}

/** Whether the money is in our books: then sending it back is booked too, and the shopper is written to. */
export function isBooked(
  late: Pick<LateTruth, 'intentId' | 'refundId'>,
  payment: { readonly status: string; readonly providerIntentId: string | null | undefined },
): boolean {
  if (late.refundId !== null) return true;
  return payment.status === 'succeeded' && payment.providerIntentId === late.intentId;
}

/** Without an amount: all that is left. */
async function refundBooked(
  parts: Parts,
  late: LateTruth,
  paymentId: string,
  amountMinor: number | undefined,
): Promise<string | undefined> {
  const failure = await refundUnder(late.generation);
  // An expired key has an end behind it. If it had been a refund, the late truth would not be open.
  if (failure !== keyExpired) return failure;
  await nextGeneration(parts.db, late);
  return refundUnder(late.generation + 1);

  async function refundUnder(generation: number): Promise<string | undefined> {
    // One key per late truth, whoever clicks: the principal is the decision, not the person.
    const name = `late-truth-${late.id}${generation === 1 ? '' : `-${generation}`}`;
    const input = { paymentId, ...(amountMinor !== undefined && { amountMinor }) };
    const request = { tenantId: late.tenantId, principal: name, keyHeader: name, input };
    const outcome = await parts.engine.run(createRefundOperation, request, async (execution) => {
      await parts.db.lateTruth.update({
        where: { id: late.id },
        data: { refundOperationId: execution.operationId },
      });
      return createRefund(parts.provider, execution, input);
    });
    if (outcome.kind === 'answered') return undefined;
    return outcome.kind === 'pending' ? 'operation_unknown' : outcome.problem.spec.code;
  }
}

async function refundUnbooked(
  { db, provider }: Parts,
  late: LateTruth,
  { amountMinor }: Payment,
): Promise<string | undefined> {
  const { tenantId, generation } = late;
  const request = { operationId: late.id, tenantId, generation, intentId: late.intentId ?? '', amountMinor };
  const result = (await provider.findRefund(request)) ?? (await provider.createRefund(request));
  if (result.kind !== 'answered') return result.code;
  if (result.refund.state === 'succeeded') return undefined;
  // It stays failed under this name; whoever asks again gets a new one.
  if (result.refund.state === 'failed') await nextGeneration(db, late);
  return `provider_${result.refund.state}`;
}

async function nextGeneration(db: PrismaClient, { id, generation }: LateTruth): Promise<void> {
  await db.lateTruth.updateMany({ where: { id, generation }, data: { generation: generation + 1 } });
}
