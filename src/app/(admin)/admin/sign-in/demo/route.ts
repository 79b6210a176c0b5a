import { enterDemo, mayEnterDemo } from '#server/demo/enter-demo.ts';
import { bodyTooLarge, readBody } from '#server/read-body.ts';
import { services } from '#server/services.ts';
import { nextPath } from '../next-path.ts';

/** A role and a path of the console. */
const maxBytes = 4 * 1024;

/** Signs in to the demo with a click. Elsewhere this address does not exist, and nothing of the body is read. */
export async function POST(request: Request): Promise<Response> {
  if (!mayEnterDemo(services().settings, request.headers)) return notFound();
  const body = await readBody(request, maxBytes);
  if (body === undefined) return bodyTooLarge();
  const form = new URLSearchParams(body);
  const signedIn = await enterDemo(services(), request, form.get('role') ?? '');
  if (!signedIn) return notFound();
  const headers = new Headers({ Location: nextPath(form.get('next')) });
  for (const cookie of signedIn.cookies) headers.append('Set-Cookie', cookie);
  return new Response(null, { status: 303, headers });
}

function notFound(): Response {
  return new Response('Not found', { status: 404, headers: { Connection: 'close' } });
}
