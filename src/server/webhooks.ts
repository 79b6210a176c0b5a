import { operationOfEvent, storableJson, verifyStripeEvent } from '#payments/index.ts';
import type { Received } from '#reconciliation/index.ts';
import type { ApiRequest } from './http-api/request.ts';
import { bodyTooLarge, readBody } from './read-body.ts';
import type { Services } from './services.ts';
import { isUnavailable, unavailableResponse } from './unavailable.ts';

/** Larger than any known event, and small enough to hold in memory for many requests at once. */
const maxBytes = 512 * 1024;

/** Verifies, stores and acknowledges an event; the worker processes it. If storing fails, the provider sends it again. */
export async function receiveStripeWebhook(
  { settings, receiveEvent, log }: Pick<Services, 'settings' | 'receiveEvent' | 'log'>,
  request: ApiRequest,
): Promise<Response> {
  const secret =
    settings.provider === 'stripe' ? settings.STRIPE_WEBHOOK_SECRET : settings.SANDBOX_WEBHOOK_SECRET;
  const body = await readBody(request, maxBytes);
  if (body === undefined) {
    log.warn('webhook refused: too large');
    return bodyTooLarge();
  }
  const signature = request.headers.get('stripe-signature');
  const verified = secret ? verifyStripeEvent(body, signature, secret) : undefined;
  if (!verified) {
    log.warn('webhook refused: bad signature, too old or of the future, or no event');
    return Response.json(
      { error: 'The signature is not valid, the event is too old or of the future, or it is no event.' },
      { status: 400 },
    );
  }
  const payload = storableJson(body);
  const event = payload === body ? verified : (JSON.parse(payload) as typeof verified);
  const operation = operationOfEvent(event);
  const { provider } = settings;
  let received: Received;
  try {
    received = await receiveEvent({
      provider,
      eventId: event.id,
      type: event.type,
      operation,
      payload,
    });
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    log.error({ err: error, eventId: event.id }, 'webhook refused: the database does not respond');
    return unavailableResponse();
  }
  log.info(
    {
      eventId: event.id,
      type: event.type,
      operationId: operation?.id,
      tenantId: operation?.tenantId,
      received,
    },
    'webhook',
  );
  return Response.json({ received: true });
}
