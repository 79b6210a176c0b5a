import Stripe from 'stripe';
import { contradicts } from '../money.ts';
import type {
  Intent,
  IntentRequest,
  OperationContext,
  PaymentProvider,
  ProviderRefund,
  ProviderResult,
  RefundRequest,
  RefundResult,
} from '../provider.ts';
import { findStripeCharges } from './charges.ts';
import { listStripeObjects } from './created-objects.ts';
import { listStripeEvents } from './events.ts';
import { createSingleShotClient } from './http-client.ts';
import { allOf } from './pages.ts';
import {
  failureOf,
  idOf,
  invalidResponse,
  readRefund,
  refundFailureOf,
  resultOfError,
  resultOfIntent,
} from './result.ts';
import { codeOf } from './shapes.ts';

export interface StripeSettings {
  readonly secretKey: string;
  /** The sandbox's address; absent means Stripe itself. */
  readonly baseUrl?: string;
  readonly timeoutMs: number;
  /** Aborts when this process has no more time to wait: calls under way fail, and later ones are not sent. */
  readonly ended?: AbortSignal;
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
    httpClient: createSingleShotClient(settings.ended),
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
        isFor(request),
      ),
    confirmIntent: (intentId, request) =>
      asResult(
        stripe.paymentIntents.confirm(
          intentId,
          { ...withCharge, return_url: request.returnUrl ?? settings.returnUrl },
          { idempotencyKey: downstreamKey(request, 'confirm') },
        ),
        isOwn(intentId, request),
      ),
    retrieveIntent: (intentId) =>
      asResult(stripe.paymentIntents.retrieve(intentId, withCharge), hasId(intentId)),
    cancelIntent: (intentId) => asResult(stripe.paymentIntents.cancel(intentId, withCharge), hasId(intentId)),
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
        request,
      ),
    async findRefund({ intentId, operationId, generation, refundId }) {
      let failed: ProviderRefund | undefined;
      const readPage = (after: string | undefined, timeout: number) =>
        stripe.refunds.list(
          { payment_intent: intentId, limit: 100, ...(after && { starting_after: after }) },
          { timeout },
        );
      try {
        // Stripe lists the newest first.
        for await (const listed of allOf(readPage, settings.timeoutMs)) {
          // The response to another request: neither what it has nor what it lacks says anything about this intent.
          if (idOf(listed.payment_intent) !== intentId) return invalidResponse;
          if (refundId === undefined && listed.metadata?.operation !== operationId) continue;
          const refund = readRefund(listed)?.refund;
          if (!refund) return invalidResponse;
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

/** `isExpected`: the intent is the one that the call was about. Connections are shared, and responses can be mixed up. */
async function asResult(
  call: Promise<Stripe.Response<Stripe.PaymentIntent>>,
  isExpected: (intent: Intent) => boolean,
): Promise<ProviderResult> {
  try {
    const found = await call;
    return { ...resultOfIntent(found, isExpected), ...requestIdOf(found.lastResponse) };
  } catch (error) {
    return { ...resultOfError(error, isExpected), ...requestIdOf(error) };
  }
}

function hasId(id: string): (intent: Intent) => boolean {
  return (intent) => intent.id === id;
}

/** The response that named the id may have been wrong itself. Metadata can be removed at the provider, so none says nothing. */
function isOwn(id: string, { operationId }: OperationContext): (intent: Intent) => boolean {
  return (intent) => intent.id === id && (intent.operationId ?? operationId) === operationId;
}

/** Checked before it is confirmed: what another amount or operation was recorded for must never be charged. */
function isFor(request: IntentRequest): (intent: Intent) => boolean {
  const { operationId, generation } = request;
  return (intent) =>
    intent.operationId === operationId && intent.generation === generation && !contradicts(request, intent);
}

async function asRefund(
  call: Promise<Stripe.Response<Stripe.Refund>>,
  { operationId, intentId }: RefundRequest,
): Promise<RefundResult> {
  try {
    const found = await call;
    const read = readRefund(found);
    const result: RefundResult =
      read?.refund.operationId === operationId && read.intentId === intentId
        ? { kind: 'responded', refund: read.refund }
        : invalidResponse;
    return { ...result, ...requestIdOf(found.lastResponse) };
  } catch (error) {
    return { ...refundFailureOf(error), ...requestIdOf(error) };
  }
}

function requestIdOf(from: unknown): { requestId?: string } {
  const requestId = codeOf((from as { requestId?: unknown } | undefined)?.requestId);
  return requestId === undefined ? {} : { requestId };
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
