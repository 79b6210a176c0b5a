import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import Stripe from 'stripe';
import { storableJson } from './webhook.ts';

type Client = ReturnType<typeof Stripe.createNodeHttpClient>;
type Request = Parameters<Client['makeRequest']>;
type Response = Awaited<ReturnType<Client['makeRequest']>>;

const agents = {
  http: new http.Agent({ keepAlive: true }),
  https: new https.Agent({ keepAlive: true }),
};

/** Far more than any object of Stripe's. */
const maxBodyBytes = 8 * 1024 * 1024;

/**
 * The SDK's own HTTP client is replaced for three reasons.
 *
 * - Its time-out is an idle timer: a body that drips in, or a connection that is never made, can take minutes. A call has
 *   one deadline, over connecting, sending, head and body together, which is what makes it shorter than a lease.
 * - It does not say whether the request can have left. An error from before that is marked (`isUnsent`).
 * - The SDK sends a request once more when its connection was closed, even with its retries set to none. That second
 *   request would not be ours: whether a call is repeated is decided where the operation's state is known. It does so on
 *   two error codes, which are renamed.
 */
export function createSingleShotClient(ended?: AbortSignal): Client {
  const client = Stripe.createNodeHttpClient();
  client.makeRequest = (...request) => send(request, ended);
  return client;
}

const unsent = Symbol('unsent');
const stops = 'This process stops, and cannot wait for the provider.';

/** Whether the call failed before any byte of its request can have left. */
export function isUnsent(error: unknown): boolean {
  return typeof error === 'object' && error !== null && unsent in error;
}

function send(
  [host, port, path, method, headers, data, protocol, timeoutMs]: Request,
  ended: AbortSignal | undefined,
): Promise<Response> {
  if (ended?.aborted) return Promise.reject(Object.assign(new Error(stops), { [unsent]: true }));
  const secure = protocol !== 'http';
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  let mayHaveLeft = false;
  const request = (secure ? https : http).request({
    ...{ host, port, path, method, agent: secure ? agents.https : agents.http },
    headers: headers as http.OutgoingHttpHeaders,
  });
  const deadline = setTimeout(() => request.destroy(timeOut()), timeoutMs);
  const end = () => request.destroy(new Error(stops));
  ended?.addEventListener('abort', end);
  request.once('socket', (socket) => {
    // What was written before waits for the connection; over TLS, for the end of the handshake.
    if (request.reusedSocket) mayHaveLeft = true;
    else
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        mayHaveLeft = true;
      });
  });
  request.once('error', fail);
  request.once('response', (response) => {
    readBody(response).then((body) => resolve(responseOf(response, body)), fail);
  });
  // Node would close the connection without an event, and the deadline would find nothing to end.
  request.once('upgrade', (_, socket) => {
    socket.destroy();
    fail(new Error('The provider switched to another protocol.'));
  });
  request.end(data);
  return promise.finally(() => {
    clearTimeout(deadline);
    ended?.removeEventListener('abort', end);
  });

  function fail(error: Error & { code?: string }): void {
    request.destroy();
    if (error.code === 'ECONNRESET' || error.code === 'EPIPE') error.code = `${error.code}_ONCE`;
    reject(mayHaveLeft ? error : Object.assign(error, { [unsent]: true }));
  }
}

async function readBody(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes)
      throw new Error(`The provider's response is larger than ${maxBodyBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function responseOf(response: http.IncomingMessage, body: string): Response {
  return {
    getStatusCode: () => response.statusCode ?? 0,
    getHeaders: () => response.headers as Record<string, string>,
    getRawResponse: () => response,
    toJSON: async () => parse(response.statusCode ?? 0, body),
    toStream(onComplete: () => void) {
      return Readable.from([body]).once('end', onComplete);
    },
  };
}

/**
 * The SDK does not check the status: it takes every object without an error for what was asked for. Of what is no object it
 * makes neither a result nor an error. Such a response is as good as none.
 */
function parse(status: number, body: string): object {
  // What of it reaches a column or the evidence of a transition has to be stored: see `storableJson`.
  const json: unknown = JSON.parse(storableJson(body));
  if (!isObject(json)) throw new Error('The response is no object.');
  const error = 'error' in json ? json.error : undefined;
  const isSuccess = status >= 200 && status <= 299;
  const agrees = isSuccess ? !error : status >= 400 && isObject(error);
  if (!agrees) throw new Error('The status contradicts the body.');
  return json;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function timeOut(): Error {
  return Object.assign(new Error('The deadline of the call has passed.'), { code: 'ETIMEDOUT' });
}
