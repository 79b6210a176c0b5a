import { findPaymentByOperation, type PaymentProvider } from '#payments/index.ts';
import type { PrismaClient } from '#prisma';
import { ProviderSilent } from './provider-trouble.ts';

/**
 * The provider took money for something that is over on our side: its key was released, or the reference was paid by
 * another payment. Nothing is guessed and nothing is booked; a person is shown the money and may send it back. Throws when
 * the provider gave no word: nobody else will ask, so whoever had the hint has to come again with it.
 */
export async function flagLateTruth(
  parts: { readonly db: PrismaClient; readonly provider: PaymentProvider },
  operationId: string,
  intentId: string,
): Promise<boolean> {
  const payment = await findPaymentByOperation(parts.db, operationId);
  if (!payment) return false;
  const booked = payment.status === 'succeeded' && payment.providerIntentId === intentId;
  if (booked) return false;
  const asked = await parts.provider.retrieveIntent(intentId, payment);
  // A refusal is about the question, such as a key that was rolled. Only that there is no such intent is about the money.
  if (asked.kind !== 'answered' && asked.code !== 'resource_missing') throw new ProviderSilent(asked.code);
  if (asked.kind !== 'answered' || asked.intent.state !== 'succeeded') return false;
  const { count } = await parts.db.lateTruth.createMany({
    data: [{ tenantId: payment.tenantId, paymentId: payment.id, intentId, reason: 'charged_after_release' }],
    skipDuplicates: true,
  });
  return count === 1;
}
