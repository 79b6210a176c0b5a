import { services } from '#server/services.ts';
import { receiveStripeWebhook } from '#server/webhooks.ts';

export function POST(request: Request): Promise<Response> {
  return receiveStripeWebhook(services(), request);
}
