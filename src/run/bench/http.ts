import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { Harness, Running } from '#run/measure/harness.ts';
import { type LoadFigures, measureLoad } from './closed-loop.ts';

export interface HttpFigures {
  /** A route that does nothing: nothing behind the server can be faster. */
  readonly noop: LoadFigures;
  readonly replay: LoadFigures;
  readonly freshAt1: LoadFigures;
  readonly freshAt32: LoadFigures;
}

/** The whole path of a payment: HTTP, the provider as a process on the same machine, its webhooks, the worker. */
export async function measureHttp(
  harness: Harness,
  server: Running,
  { seconds }: { readonly seconds: number },
): Promise<HttpFigures> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  try {
    const noop = () => send(agent, `${server.url}/api/health`, { method: 'GET' }, 200);
    const pay = (key: string) =>
      send(
        agent,
        `${server.url}/api/v1/payments`,
        {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${harness.apiKey}`,
            'Content-Type': 'application/json',
            'Idempotency-Key': key,
          },
          body: JSON.stringify({
            ...{ amountMinor: 1000, currency: 'usd', paymentMethod: 'pm_card_visa' },
            reference: `bench-${key}`,
          }),
        },
        201,
      );
    const key = randomUUID();
    await pay(key);
    const fresh = () => pay(randomUUID());
    return {
      noop: await measureLoad({ callers: 32, seconds, call: noop }),
      replay: await measureLoad({ callers: 32, seconds, call: () => pay(key) }),
      freshAt1: await measureLoad({ callers: 1, seconds, call: fresh }),
      freshAt32: await measureLoad({ callers: 32, seconds, call: fresh }),
    };
  } finally {
    agent.destroy();
  }
}

/** With `node:http`, because `fetch` takes more of the machine than the server does. */
function send(
  agent: http.Agent,
  url: string,
  request: { readonly method: string; readonly headers?: Record<string, string>; readonly body?: string },
  expected: number,
): Promise<void> {
  const { method, headers = {}, body = '' } = request;
  return new Promise((resolve, reject) => {
    const outgoing = http.request(
      url,
      { agent, method, headers: { ...headers, 'Content-Length': Buffer.byteLength(body) } },
      (response) => {
        response.resume();
        response.once('error', reject);
        response.once('end', () => {
          if (response.statusCode === expected) resolve();
          else reject(new Error(`${method} ${url} responded ${response.statusCode} instead of ${expected}.`));
        });
      },
    );
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}
