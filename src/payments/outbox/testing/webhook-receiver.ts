import { EventEmitter, on } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ReceivedWebhook {
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
}

/** A merchant's server. */
export interface WebhookReceiver {
  readonly url: string;
  readonly received: ReceivedWebhook[];
  /** The status to respond with; the response is sent when it resolves. */
  response: (webhook: ReceivedWebhook) => number | Promise<number>;
  receive(count: number): Promise<ReceivedWebhook[]>;
  close(): Promise<void>;
}

export async function openWebhookReceiver(): Promise<WebhookReceiver> {
  const arrivals = new EventEmitter();
  const received: ReceivedWebhook[] = [];
  const server = createServer(async (request, response) => {
    const webhook = { body: await text(request), headers: request.headers, path: request.url ?? '' };
    received.push(webhook);
    arrivals.emit('webhook');
    // A redirect points at this same server, where a follower would be seen.
    response.writeHead(await receiver.response(webhook), { location: `${receiver.url}/elsewhere` }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    response: () => 200,
    async receive(count) {
      const coming = on(arrivals, 'webhook', { signal: AbortSignal.timeout(60_000) });
      while (received.length < count) await coming.next();
      await coming.return?.();
      return received;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
