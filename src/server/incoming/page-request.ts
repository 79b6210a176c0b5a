import { readBytes } from '../read-body.ts';
import { isFromOwnPage } from './own-origin.ts';

/** The forms of pages have a few fields. */
export const maxPageBodyBytes = 64 * 1024;

const methods = ['GET', 'HEAD', 'POST'];

/**
 * What no page of ours would send to a page, refused before Next reads it: Next takes any method for a GET, and says that the
 * server failed where a form comes from another site. Undefined: the page may be asked.
 */
export async function refusePageRequest(request: Request, publicUrl: string): Promise<Response | undefined> {
  if (!methods.includes(request.method)) {
    return new Response('Method Not Allowed', { status: 405, headers: { Allow: methods.join(', ') } });
  }
  if (request.method !== 'POST') return undefined;
  if (!isFromOwnPage(request, publicUrl)) {
    return new Response('This request comes from another site.', { status: 403 });
  }
  const body = await readBytes(request, maxPageBodyBytes);
  return body === undefined ? new Response('The body is too large.', { status: 413 }) : undefined;
}
