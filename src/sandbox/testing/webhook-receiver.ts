import { EventEmitter, on } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Stripe from 'stripe';

export interface Received {
  event: Stripe.Event;
  payload: string;
  signature: string;
}

/** An endpoint like the application's: it verifies every signature with the official SDK and records the order. */
export interface WebhookReceiver {
  url: string;
  secret: string;
  received: Received[];
  /** Sets the secret of every later delivery, for an endpoint whose secret is known only once it is registered. */
  verifyWith(secret: string): void;
  /** Sets the status of every later response. Deliveries are recorded with any status. */
  respondWith(status: number): void;
  /** Resolves with the first `count` deliveries that match, earlier ones included. */
  receive(matches: (received: Received) => boolean, count?: number): Promise<Received[]>;
  close(): Promise<void>;
}

const stripe = new Stripe('sk_test_unused');

export async function openReceiver(initialSecret = 'whsec_receiver'): Promise<WebhookReceiver> {
  let secret = initialSecret;
  const arrivals = new EventEmitter();
  const received: Received[] = [];
  let status = 200;
  const server = createServer(async (request, response) => {
    const payload = await text(request);
    const signature = String(request.headers['stripe-signature']);
    try {
      received.push({
        event: stripe.webhooks.constructEvent(payload, signature, secret),
        payload,
        signature,
      });
      response.writeHead(status).end();
    } catch {
      response.writeHead(400).end();
    }
    arrivals.emit('arrival');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    secret: initialSecret,
    received,
    verifyWith(next) {
      secret = next;
    },
    respondWith(next) {
      status = next;
    },
    async receive(matches, count = 1) {
      // Listening starts before the first count, so that no arrival in between is missed.
      const nextArrivals = on(arrivals, 'arrival', { signal: AbortSignal.timeout(20_000) });
      while (received.filter(matches).length < count) await nextArrivals.next();
      await nextArrivals.return?.();
      return received.filter(matches).slice(0, count);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function isAbout(intent: string, type?: string): (received: Received) => boolean {
  return ({ event }) => isAboutIntent(event, intent) && (type === undefined || event.type === type);
}

export function isAboutIntent(event: Stripe.Event, intent: string): boolean {
  const object = event.data.object as { id?: string; payment_intent?: unknown };
  return object.id === intent || object.payment_intent === intent;
}
