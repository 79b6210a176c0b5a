import type { EventFollower, Followed, ProviderEvent } from '#payments/event-follower.ts';
import { openException } from '#payments/exceptions/open-exception.ts';
import { findPaymentByOperation } from '#payments/payment-rows.ts';
import type { KindParts } from '../operation-kind.ts';

/**
 * The provider may take money for something that is over on our side: its key was released, or the reference was paid by
 * another payment. That is not booked; an operator is shown the money and may refund it.
 */
export function createPaymentFollower({ db, provider }: KindParts): EventFollower {
  return {
    /** The payment uses another intent now. Where none is recorded yet, this may be the one. */
    async isSuperseded({ operation, intentId }) {
      if (intentId === undefined) return false;
      const { tenantId, id: operationId } = operation;
      const where = { tenantId, operationId, providerIntentId: { not: intentId } };
      return (await db.payment.count({ where })) === 1;
    },
    async follow({ operation, intentId }: ProviderEvent): Promise<Followed | undefined> {
      const payment = intentId === undefined ? undefined : await findPaymentByOperation(db, operation);
      if (!payment || intentId === undefined) return undefined;
      const booked = payment.status === 'succeeded' && payment.providerIntentId === intentId;
      if (booked) return undefined;
      const result = await provider.retrieveIntent(intentId, payment);
      if (result.kind !== 'responded') {
        // A refusal may be about the request, such as a rolled API key. Only a missing intent is evidence about the money.
        return result.code === 'resource_missing' ? undefined : { kind: 'no_evidence', code: result.code };
      }
      if (result.intent.state !== 'succeeded') return undefined;
      const { tenantId, id: paymentId } = payment;
      const opened = await openException(db, {
        tenantId,
        paymentId,
        intentId,
        reason: 'charged_after_release',
      });
      return opened ? { kind: 'changed', outcome: 'exception' } : undefined;
    },
  };
}
