import { Webhook } from 'standardwebhooks';

/**
 * The headers of the Standard Webhooks scheme. Each secret makes a signature; a receiver accepts the message if one of them
 * is made with the secret that it has.
 */
export function webhookHeaders(message: {
  /** The same for every attempt, and for every endpoint that gets the event. */
  readonly id: string;
  readonly body: string;
  readonly sentAt: Date;
  readonly secrets: readonly string[];
}): Readonly<Record<string, string>> {
  const { id, body, sentAt, secrets } = message;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, sentAt, body)).join(' '),
  };
}
