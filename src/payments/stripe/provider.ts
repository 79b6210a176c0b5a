import Stripe from 'stripe';
import type {
  IntentRequest,
  PaymentProvider,
  ProviderRefund,
  ProviderResult,
  RefundResult,
} from '../provider.ts';
import { findStripeCharges } from './charges.ts';
import { listStripeObjects } from './created-objects.ts';
import { listStripeEvents } from './events.ts';
import { createSingleShotClient } from './http-client.ts';
import { failureOf, intentOf, refundOf, resultOfError } from './result.ts';

export interface StripeSettings {
  readonly secretKey: string;
  /** The sandbox's address; absent means Stripe itself. */
  readonly baseUrl?: string;
  readonly timeoutMs: number;
  /**
   * Where shoppers come back to from their bank if the command names no address. Without any, Stripe would offer a bank's
   * question only to its own script in a browser, and a merchant's server could do nothing with it.
   */
  readonly returnUrl: string;
}

/** Includes the charge in the response, for the card on the receipt: without it there is only the charge's id. */
const withCharge = { expand: ['latest_charge'] };

/**
 * Stripe, or the sandbox, which has the same API, through the official SDK. Its automatic retries are off: whether
 * a call is sent again is decided where the operation's state is known.
 */
export function createStripeProvider(settings: StripeSettings): PaymentProvider {
  const stripe = new Stripe(settings.secretKey, {
    maxNetworkRetries: 0,
    httpClient: createSingleShotClient(),
    timeout: settings.timeoutMs,
    telemetry: false,
    ...(settings.baseUrl && addressOf(settings.baseUrl)),
  });

  return {
    createIntent: (request) =>
      asResult(
        stripe.paymentIntents.create(
          {
            amount: request.amountMinor,
            currency: request.currency,
            payment_method: request.paymentMethod,
            // Link is offered in Stripe’s Payment Element beside cards; wallets are cards.
            allowed_payment_method_types: ['card', 'link'],
            metadata: {
              operation: request.operationId,
              generation: String(request.generation),
              reference: request.reference,
              payment_method: request.paymentMethod,
              paidonce_tenant: request.tenantId,
            },
          },
          { idempotencyKey: downstreamKey(request, 'create') },
        ),
      ),
    confirmIntent: (intentId, request) =>
      asResult(
        stripe.paymentIntents.confirm(
          intentId,
          { ...withCharge, return_url: request.returnUrl ?? settings.returnUrl },
          { idempotencyKey: downstreamKey(request, 'confirm') },
        ),
      ),
    retrieveIntent: (intentId) => asResult(stripe.paymentIntents.retrieve(intentId, withCharge)),
    cancelIntent: (intentId) => asResult(stripe.paymentIntents.cancel(intentId)),
    createRefund: (request) =>
      asRefund(
        stripe.refunds.create(
          {
            payment_intent: request.intentId,
            amount: request.amountMinor,
            metadata: {
              operation: request.operationId,
              generation: String(request.generation),
              reference: request.reference,
              paidonce_tenant: request.tenantId,
            },
          },
          { idempotencyKey: downstreamKey(request, 'refund') },
        ),
      ),
    async findRefund({ intentId, operationId, generation, refundId }) {
      let failed: ProviderRefund | undefined;
      try {
        // Stripe lists the newest first.
        for await (const listed of stripe.refunds.list({ payment_intent: intentId, limit: 100 })) {
          if (refundId === undefined && listed.metadata?.operation !== operationId) continue;
          const refund = refundOf(listed);
          if (refundId === undefined ? refund.state !== 'failed' : refund.id === refundId)
            return { kind: 'responded', refund };
          if (generation === undefined || refund.generation === generation) failed ??= refund;
        }
        return failed && refundId === undefined ? { kind: 'responded', refund: failed } : undefined;
      } catch (error) {
        return failureOf(error);
      }
    },
    findCharges: (wanted) => findStripeCharges(stripe, wanted),
    listCreated: (page) => listStripeObjects(stripe, page),
    listEvents: (page) => listStripeEvents(stripe, page),
    async ping() {
      await stripe.paymentIntents.list({ limit: 1 });
    },
  };
}

async function asResult(call: Promise<Stripe.Response<Stripe.PaymentIntent>>): Promise<ProviderResult> {
  try {
    const intent = await call;
    return { kind: 'responded', intent: intentOf(intent), ...requestIdOf(intent.lastResponse) };
  } catch (error) {
    return { ...resultOfError(error), ...requestIdOf(error) };
  }
}

async function asRefund(call: Promise<Stripe.Response<Stripe.Refund>>): Promise<RefundResult> {
  try {
    const refund = await call;
    return { kind: 'responded', refund: refundOf(refund), ...requestIdOf(refund.lastResponse) };
  } catch (error) {
    return { ...failureOf(error), ...requestIdOf(error) };
  }
}

function requestIdOf(from: unknown): { requestId?: string } {
  const id = (from as { requestId?: unknown } | undefined)?.requestId;
  return typeof id === 'string' ? { requestId: id } : {};
}

function downstreamKey(
  request: Pick<IntentRequest, 'operationId' | 'generation'>,
  step: 'create' | 'confirm' | 'refund',
): string {
  return `paidonce-${request.operationId}-${request.generation}-${step}`;
}

function addressOf(baseUrl: string): Pick<Stripe.StripeConfig, 'host' | 'port' | 'protocol'> {
  const url = new URL(baseUrl);
  return { host: url.hostname, port: url.port, protocol: url.protocol === 'https:' ? 'https' : 'http' };
}
