import { type NextRequest, NextResponse } from 'next/server';
import { contentSecurityPolicy } from '#app/content-security-policy.ts';
import { readEnv } from '#server/env.ts';

/**
 * Every page gets a policy with a nonce for its scripts. Next reads the nonce from the request's header and adds it to the
 * scripts of the page, so every page is rendered per request.
 */
export function proxy(request: NextRequest): NextResponse {
  const policy = contentSecurityPolicy({
    nonce: crypto.randomUUID(),
    stripe: readEnv().STRIPE_PUBLISHABLE_KEY !== undefined,
    development: process.env.NODE_ENV === 'development',
  });
  const headers = new Headers(request.headers);
  headers.set('Content-Security-Policy', policy);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set('Content-Security-Policy', policy);
  return response;
}

/** Not for responses without scripts, and not for prefetches, which are used in a page that already has a policy. */
export const config = {
  matcher: [
    {
      source: '/((?!api/|_next/static/|_next/image).*)',
      missing: [
        { type: 'header', key: 'next-router-prefetch' },
        { type: 'header', key: 'purpose', value: 'prefetch' },
      ],
    },
  ],
};
