import { type NextRequest, NextResponse } from 'next/server';
import { contentSecurityPolicy } from '#app/content-security-policy.ts';
import { readEnv } from '#server/env.ts';

/**
 * Every page gets a policy with a nonce for its scripts. Next reads it from the request's header and puts it on the
 * scripts it writes into the page; so every page is rendered per request.
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

/** Not for responses without scripts, and not for prefetches, which become part of a page that has its policy already. */
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
