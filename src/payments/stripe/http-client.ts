import Stripe from 'stripe';

/**
 * The SDK sends a request once more when its connection was closed, even with its retries set to none. That second
 * request is not ours: we would not know of it, and whether a call is repeated is decided where the operation's state
 * is known. Renaming the two error codes it looks for keeps every call to one shot.
 */
export function createSingleShotClient(): Stripe.HttpClient {
  const client = Stripe.createNodeHttpClient();
  const makeRequest = client.makeRequest.bind(client);
  client.makeRequest = async (...request) => {
    try {
      return await makeRequest(...request);
    } catch (error) {
      throw isClosed(error) ? Object.assign(error, { code: `${error.code}_ONCE` }) : error;
    }
  };
  return client;
}

function isClosed(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}
