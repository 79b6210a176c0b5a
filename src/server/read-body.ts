import { isUtf8 } from 'node:buffer';
import type { ApiRequest } from './http-api/request.ts';

/** The client closed its connection before the end of its body: no one waits for the response, and nothing is broken. */
export class BodyCutOff extends Error {
  override readonly name = 'BodyCutOff';
}

/** The body as it was sent. Undefined when it is larger than the limit; the rest of it is then not read. */
export async function readBytes(
  request: Pick<ApiRequest, 'body'>,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > maxBytes) return undefined;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new BodyCutOff('The client left before the end of its body.', { cause: error });
  }
  return Buffer.concat(chunks);
}

/** The same as text. */
export async function readBody(
  request: Pick<ApiRequest, 'body'>,
  maxBytes: number,
): Promise<string | undefined> {
  return (await readBytes(request, maxBytes))?.toString('utf8');
}

/**
 * For handlers that read the body themselves: the same request, with a body within the limit. The response instead, when it
 * is no text, or is larger: what is left of a body that was not read would be taken for the next request, so the connection is closed.
 */
export async function withinLimit(
  request: Request,
  maxBytes: number,
  handle: (request: Request) => Promise<Response>,
): Promise<Response> {
  if (!request.body) return handle(request);
  const body = await readBytes(request, maxBytes);
  if (body === undefined) return bodyTooLarge();
  // Each broken character would otherwise be read as the same one, and two commands or passwords as one.
  if (!isUtf8(body)) return Response.json({ error: 'The body is not UTF-8.' }, { status: 400 });
  // Next's requests are no instances of Request, so the parts are copied one by one.
  const { url, method, headers, signal } = request;
  return handle(new Request(url, { method, headers, signal, body: body.toString('utf8') }));
}

export function bodyTooLarge(): Response {
  return Response.json(
    { error: 'The body is too large.' },
    { status: 413, headers: { Connection: 'close' } },
  );
}
