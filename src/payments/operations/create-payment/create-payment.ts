import type { Execution, OperationRequest, Problem } from '#idempotency/index.ts';
import { sqlState } from '#idempotency/stores/prisma.ts';
import { isCompared, notCompared } from '#payments/database-gap.ts';
import {
  findChargeElsewhere,
  findFoundCharge,
  type ReferenceHolder,
} from '#payments/exceptions/found-charge.ts';
import { isRefundDecided } from '#payments/exceptions/refund-decided.ts';
import { isRestored } from '#payments/exceptions/restored.ts';
import type { Payment } from '#payments/payment.ts';
import {
  byId,
  findLivePayment,
  findPaymentByOperation,
  lockPayment,
  paymentIdOf,
  paymentOf,
} from '#payments/payment-rows.ts';
import type { PaymentProvider } from '#payments/provider.ts';
import type { Prisma } from '#prisma';
import { expiredKey } from '../expired-key.ts';
import type { CreatePayment } from './command.ts';
import { createPaymentProblems } from './definition.ts';
import { type ClaimedReference, intentRow, openPaymentRow } from './row-statements.ts';
import {
  afterDecline,
  type PaymentVerdict,
  refused,
  released,
  restoredPayment,
  verdictOnConfirm,
  verdictOnFailedCreate,
} from './verdicts.ts';

type Tx = Prisma.TransactionClient;

/** The payment is inserted by the statement that claims the key, and takes its reference before anything is sent. */
export function paymentAtClaim(command: CreatePayment): NonNullable<OperationRequest['atClaim']> {
  return (operation) => ({ rows: openPaymentRow(operation, command) });
}

export async function createPayment(
  provider: PaymentProvider,
  execution: Execution<Tx>,
  command: CreatePayment,
  /** Asked when the payment is committed and nothing was sent: a request that ends the order sees the payment, or is seen. */
  findRefusal?: () => Promise<Problem | undefined>,
): Promise<PaymentVerdict> {
  const payment = await takeReference(execution, command);
  if ('kind' in payment) return payment;
  const refusal = await findRefusal?.();
  if (refusal) return refused(payment, refusal);

  let intentId = payment.providerIntentId;
  if (intentId) {
    await execution.phase('confirm_sent');
  } else {
    const created = await provider.createIntent(payment);
    if (created.kind !== 'responded') return verdictOnFailedCreate(payment, created);
    intentId = created.intent.id;
    await execution.phase('confirm_sent', intentRow(payment, intentId));
  }
  // A webhook may resolve the operation first; then this response is no longer waited for.
  const confirmed = await execution.unlessResolved(
    provider.confirmIntent(intentId, { ...payment, returnUrl: command.returnUrl }),
  );
  if (confirmed.kind !== 'responded' || confirmed.intent.state !== 'declined') {
    return verdictOnConfirm(payment, confirmed);
  }
  const canceled = await provider.cancelIntent(intentId, payment);
  return verdictOnConfirm(payment, afterDecline(confirmed.intent, canceled));
}

async function takeReference(
  execution: Execution<Tx>,
  command: CreatePayment,
): Promise<Payment | PaymentVerdict> {
  const claimed = execution.rowResult as ClaimedReference | undefined;
  if (claimed?.opened) return newPayment(execution, command);
  // The payment of this key itself is there already if its record was deleted because it was old, or was lost.
  const isOwn = claimed?.holder?.id === paymentIdOf(execution.ref);
  if (claimed?.holder && !isOwn) return released(existsProblem(claimed.holder));
  if (claimed && !claimed.compared) return released(notCompared);
  return openAgain(execution, command);
}

function newPayment({ ref, tenantId, operationId }: Execution<Tx>, command: CreatePayment): Payment {
  return {
    id: paymentIdOf(ref),
    tenantId,
    operationId,
    reference: command.reference,
    amountMinor: command.amountMinor,
    currency: command.currency,
    paymentMethod: command.paymentMethod,
    status: 'pending',
    generation: 1,
    providerIntentId: undefined,
    asserted: false,
  };
}

/**
 * A later attempt takes the reference again, if it is still free. The first attempt gets here if its own payment is there from
 * before its record was deleted or lost, or if the one in its way was not visible to the claim.
 */
async function openAgain(
  execution: Execution<Tx>,
  command: CreatePayment,
): Promise<Payment | PaymentVerdict> {
  let opened: Payment | PaymentVerdict | undefined;
  try {
    await execution.phase(execution.recoveryPoint, async (tx) => {
      opened = await insertOrReopen(tx, execution, command);
    });
  } catch (error) {
    if (sqlState(error) !== '23505') throw error;
    // The phase was rolled back; another transaction reads which payment holds the reference.
    await execution.phase(execution.recoveryPoint, async (tx) => {
      opened = released(existsProblem(await findLivePayment(tx, execution.tenantId, command.reference)));
    });
  }
  if (!opened) throw new Error(`Payment ${paymentIdOf(execution.ref)} was neither opened nor refused.`);
  return opened;
}

async function insertOrReopen(
  tx: Tx,
  execution: Execution<Tx>,
  command: CreatePayment,
): Promise<Payment | PaymentVerdict> {
  await lockPayment(tx, { tenantId: execution.tenantId, id: paymentIdOf(execution.ref) });
  const existing = await findPaymentByOperation(tx, execution.ref);
  if (!(await isCompared(tx))) return released(notCompared);
  if (existing) {
    if (await isRestoredAs(tx, existing, command)) return restoredPayment(existing);
    if (!mayReopen(existing, command) || (await isRefundDecided(tx, existing))) return keyExpired(existing);
  }
  const charged =
    (existing && (await findChargeElsewhere(tx, existing))) ??
    (await findFoundCharge(tx, execution.ref, command.reference));
  if (charged) return released(existsProblem(charged));
  if (existing) {
    return paymentOf(await tx.payment.update({ where: byId(existing), data: { status: 'pending' } }));
  }
  const { reference, amountMinor, currency, paymentMethod, receiptEmail = null } = command;
  const { tenantId, operationId } = execution;
  const row = await tx.payment.create({
    data: {
      ...{ id: paymentIdOf(execution.ref), tenantId, operationId, status: 'pending' },
      ...{ reference, amountMinor, currency, paymentMethod, receiptEmail },
    },
  });
  return paymentOf(row);
}

/** The record of an old key may be gone, and with it the fingerprint of its command; the payment still has the command. */
function mayReopen(payment: Payment, command: CreatePayment): boolean {
  const isOver = payment.status === 'succeeded' || payment.status === 'declined';
  return !isOver && isSameCommand(payment, command);
}

async function isRestoredAs(tx: Tx, payment: Payment, command: CreatePayment): Promise<boolean> {
  if (payment.status !== 'succeeded' || !isSameCommand(payment, command)) return false;
  return isRestored(tx, payment.tenantId, { paymentId: payment.id, refundId: null });
}

function isSameCommand(payment: Payment, command: CreatePayment): boolean {
  const { reference, amountMinor, currency, paymentMethod } = payment;
  return (
    reference === command.reference &&
    amountMinor === command.amountMinor &&
    currency === command.currency &&
    paymentMethod === command.paymentMethod
  );
}

function keyExpired({ id }: Pick<Payment, 'id'>): PaymentVerdict {
  return expiredKey({ type: 'payment', id });
}

/** While a payment is under review an operator decides about it, which takes minutes at best. */
function existsProblem(holder: ReferenceHolder | undefined): Problem {
  const spec = createPaymentProblems.payment_exists_for_reference;
  if (!holder) return { spec, retryAfterSeconds: 1 };
  const { id: paymentId, status: paymentStatus } = holder;
  const named = { spec, extensions: { paymentId, paymentStatus } };
  switch (paymentStatus) {
    case 'pending':
    case 'succeeded':
      return { ...named, retryAfterSeconds: 1 };
    case 'under_review':
      return {
        ...named,
        retryAfterSeconds: 60,
        detail: `${foundCharge} The shop is checking it. Nothing was charged now.`,
        advice: {
          action:
            'Do not pay for it in another way. When the shop has paid it back, the same request with the same key pays.',
          newKey: 'unsafe',
        },
      };
    case 'kept':
      return {
        ...named,
        detail: `${foundCharge} The shop keeps it, so nothing more is due. Nothing was charged now.`,
        advice: {
          action: 'Do not pay for it again. Anything else is paid under a reference of its own.',
          newKey: 'unsafe',
        },
      };
  }
}

const foundCharge =
  'An earlier payment for this reference ended unpaid, and was found to be charged after all.';
