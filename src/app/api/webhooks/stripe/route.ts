import { receiveStripeWebhook } from '#server/webhooks.ts';
import { house } from '#server/services.ts';

export function POST(request: Request): Promise<Response> {
  return receiveStripeWebhook(house(), request);
}
