import { operationOfEvent, verifyStripeEvent } from '#payments/index.ts';
import { receiveProviderEvent } from '#reconciliation/index.ts';
import { readBody } from './read-body.ts';
import type { Services } from './services.ts';

/** Larger than any event we know; smaller than what would hurt. */
const maxBytes = 512 * 1024;

/** Checked, stored, then acknowledged; processed by the worker. What fails to be stored is not acknowledged, so it comes again. */
export async function receiveStripeWebhook(
  { settings, db, log }: Pick<Services, 'settings' | 'db' | 'log'>,
  request: Request,
): Promise<Response> {
  const secret =
    settings.provider === 'stripe' ? settings.STRIPE_WEBHOOK_SECRET : settings.SANDBOX_WEBHOOK_SECRET;
  const body = await readBody(request, maxBytes);
  const signature = request.headers.get('stripe-signature');
  const event = secret && body !== undefined ? verifyStripeEvent(body, signature, secret) : undefined;
  if (!event || body === undefined) {
    log.warn('webhook refused: bad signature, too old or too large');
    return Response.json({ error: 'The signature is not valid, or the event is too old.' }, { status: 400 });
  }
  const operation = operationOfEvent(event);
  const received = await receiveProviderEvent(db, {
    provider: settings.provider,
    eventId: event.id,
    type: event.type,
    operation,
    payload: JSON.parse(body),
  });
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
