import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

/** Posts to webhook endpoints over connections that are kept open, because most events go to the same few endpoints. */
export class WebhookSender {
  readonly #http = new HttpAgent({ keepAlive: true });
  readonly #https = new HttpsAgent({ keepAlive: true });

  /** The status of the response. A redirect is not followed: that could send the event to another party. */
  async post(
    url: string,
    payload: string,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<number> {
    const sent = await this.#send(new URL(url), payload, headers, signal);
    // The endpoint closed a kept connection at the moment it was used again, so the event goes over a new one.
    return sent === 'stale' ? this.post(url, payload, headers, signal) : sent;
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  #send(
    url: URL,
    payload: string,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<number | 'stale'> {
    return new Promise((resolve, reject) => {
      const secure = url.protocol === 'https:';
      const post = secure ? httpsRequest : httpRequest;
      const request = post(url, {
        method: 'POST',
        agent: secure ? this.#https : this.#http,
        headers: { ...headers, 'content-length': Buffer.byteLength(payload) },
        signal,
      });
      request.on('response', (response) => {
        // Only after its body was read can the connection be used again.
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
        response.on('error', reject);
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        if (request.reusedSocket && error.code === 'ECONNRESET') resolve('stale');
        else reject(error);
      });
      request.end(payload);
    });
  }
}
