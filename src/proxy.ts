import { type NextRequest, NextResponse } from 'next/server';
import { contentSecurityPolicy } from '#app/content-security-policy.ts';
import { pathHeader } from '#app/path-header.ts';
import { readEnv } from '#server/env.ts';
import { refusePageRequest } from '#server/incoming/page-request.ts';

/**
 * Every page gets a policy with a nonce for its scripts. Next reads the nonce from the request's header and adds it to the
 * scripts of the page, so every page is rendered per request.
 */
export async function proxy(request: NextRequest): Promise<Response> {
  const { pathname } = request.nextUrl;
  if (!isReadable(pathname)) return new NextResponse('Bad Request', { status: 400 });
  if (pathname.startsWith('/api/')) return NextResponse.next();
  const { PUBLIC_URL, STRIPE_PUBLISHABLE_KEY } = readEnv();
  const refusal = await refusePageRequest(request, PUBLIC_URL);
  if (refusal) return refusal;
  const policy = contentSecurityPolicy({
    nonce: crypto.randomUUID(),
    stripe: STRIPE_PUBLISHABLE_KEY !== undefined,
    development: process.env.NODE_ENV === 'development',
  });
  const headers = new Headers(request.headers);
  headers.set('Content-Security-Policy', policy);
  headers.set(pathHeader, pathOf(request.nextUrl));
  const response = NextResponse.next({ request: { headers } });
  response.headers.set('Content-Security-Policy', policy);
  return response;
}

/** Bytes that are no text, such as %ff. Next would respond that the server failed. */
function isReadable(pathname: string): boolean {
  try {
    decodeURIComponent(pathname);
    return true;
  } catch {
    return false;
  }
}

/** Without Next's own parameter, which marks requests for a part of a page. */
function pathOf({ pathname, searchParams }: NextRequest['nextUrl']): string {
  const query = new URLSearchParams(searchParams);
  query.delete('_rsc');
  return query.size > 0 ? `${pathname}?${query}` : pathname;
}

/**
 * Not for responses without scripts, except where an address of the API has escapes that may not be readable. A prefetched
 * page has a policy too: the browser may show it in a frame later.
 */
export const config = { matcher: ['/((?!api/|_next/static/|_next/image).*)', '/api/(.*%.*)'] };
