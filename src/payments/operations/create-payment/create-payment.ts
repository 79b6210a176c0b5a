import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Execution, Problem } from '#idempotency/index.ts';
import { sqlState } from '#idempotency/stores/prisma.ts';
import { currencyCodes, maxAmountMinor } from '#payments/money.ts';
import type { Payment } from '#payments/payment.ts';
import { findLivePayment, findPaymentByOperation, keyOf, paymentOf } from '#payments/payment-rows.ts';
import type { PaymentProvider } from '#payments/provider.ts';
import type { Prisma } from '#prisma';
import { createPaymentProblems } from './definition.ts';
import { type PaymentVerdict, released, verdictOnConfirm, verdictOnFailedCall } from './verdicts.ts';

type Tx = Prisma.TransactionClient;

export const createPaymentCommand = z.object({
  amountMinor: z.int().positive().max(maxAmountMinor),
  currency: z.enum(currencyCodes),
  paymentMethod: z.string().regex(/^pm_\w{1,120}$/, 'must be a payment method id such as pm_card_visa'),
  reference: z.string().trim().min(1).max(200),
  receiptEmail: z.email().max(254).optional(),
  /** Where the shopper comes back to after their bank has asked them something. */
  returnUrl: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional(),
});
export type CreatePayment = z.output<typeof createPaymentCommand>;

export async function createPayment(
  provider: PaymentProvider,
  execution: Execution<Tx>,
  command: CreatePayment,
): Promise<PaymentVerdict> {
  const opened = await openPayment(execution, command);
  if ('kind' in opened) return opened;

  const prepared = await prepareIntent(provider, execution, opened);
  if ('kind' in prepared) return prepared;

  await execution.phase('confirm_sent');
  // A webhook may resolve the operation first; then this response is no longer waited for.
  const confirmed = await execution.unlessResolved(
    provider.confirmIntent(prepared.intentId, { ...prepared.payment, returnUrl: command.returnUrl }),
  );
  return verdictOnConfirm(prepared.payment, confirmed);
}

/** Takes the reference before anything is sent to the provider. A retried attempt takes it again, if it is still free. */
async function openPayment(
  execution: Execution<Tx>,
  command: CreatePayment,
): Promise<Payment | PaymentVerdict> {
  let payment: Payment | undefined;
  let holder: Payment | undefined;
  try {
    await execution.phase(execution.recoveryPoint, async (tx) => {
      payment = await insertOrReopen(tx, execution, command);
    });
  } catch (error) {
    if (sqlState(error) !== '23505') throw error;
    // The phase was rolled back; another transaction reads which payment holds the reference.
    await execution.phase(execution.recoveryPoint, async (tx) => {
      holder = await findLivePayment(tx, execution.tenantId, command.reference);
    });
  }
  if (payment) return payment;
  return released(existsProblem(holder), execution.recoveryPoint);
}

async function insertOrReopen(tx: Tx, execution: Execution<Tx>, command: CreatePayment): Promise<Payment> {
  const existing = execution.attempt > 1 && (await findPaymentByOperation(tx, execution.ref));
  if (existing) {
    return paymentOf(await tx.payment.update({ where: keyOf(existing), data: { status: 'pending' } }));
  }
  const row = await tx.payment.create({
    data: {
      id: randomUUID(),
      tenantId: execution.tenantId,
      operationId: execution.operationId,
      reference: command.reference,
      amountMinor: command.amountMinor,
      currency: command.currency,
      paymentMethod: command.paymentMethod,
      receiptEmail: command.receiptEmail ?? null,
      status: 'pending',
    },
  });
  return paymentOf(row);
}

async function prepareIntent(
  provider: PaymentProvider,
  execution: Execution<Tx>,
  payment: Payment,
): Promise<{ payment: Payment; intentId: string } | PaymentVerdict> {
  if (payment.providerIntentId) return { payment, intentId: payment.providerIntentId };
  const created = await provider.createIntent(payment);
  if (created.kind !== 'responded') return verdictOnFailedCall(payment, created, 'claimed');
  const intentId = created.intent.id;
  await execution.phase('intent_created', async (tx) => {
    await tx.payment.update({ where: keyOf(payment), data: { providerIntentId: intentId } });
  });
  return { payment: { ...payment, providerIntentId: intentId }, intentId };
}

function existsProblem(holder: Payment | undefined): Problem {
  return {
    spec: createPaymentProblems.payment_exists_for_reference,
    retryAfterSeconds: 1,
    ...(holder && { extensions: { paymentId: holder.id, paymentStatus: holder.status } }),
  };
}
