import type { OperationRef } from '#idempotency/index.ts';
import { findPaymentByOperation, type PaymentProvider } from '#payments/index.ts';
import type { PrismaClient } from '#prisma';
import { ProviderUnresponsive } from './provider-trouble.ts';

/**
 * The provider took money for something that is over on our side: its key was released, or the reference was paid by
 * another payment. Nothing is guessed and nothing is booked; an operator is shown the money and may refund it. Throws when
 * the provider gave no definitive response: nothing else will ask again, so the caller has to.
 */
export async function flagException(
  parts: { readonly db: PrismaClient; readonly provider: PaymentProvider },
  operation: OperationRef,
  intentId: string,
): Promise<boolean> {
  const payment = await findPaymentByOperation(parts.db, operation);
  if (!payment) return false;
  const booked = payment.status === 'succeeded' && payment.providerIntentId === intentId;
  if (booked) return false;
  const result = await parts.provider.retrieveIntent(intentId, payment);
  // A refusal may be about the request, such as a rolled API key. Only a missing intent is evidence about the money.
  if (result.kind !== 'responded' && result.code !== 'resource_missing')
    throw new ProviderUnresponsive(result.code);
  if (result.kind !== 'responded' || result.intent.state !== 'succeeded') return false;
  const { count } = await parts.db.reconciliationException.createMany({
    data: [{ tenantId: payment.tenantId, paymentId: payment.id, intentId, reason: 'charged_after_release' }],
    skipDuplicates: true,
  });
  return count === 1;
}
