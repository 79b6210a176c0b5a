const securityHeaders = [
  { key: 'X-Content-Type-Options', value: 'nosniff' },
  { key: 'Referrer-Policy', value: 'strict-origin-when-cross-origin' },
  { key: 'Permissions-Policy', value: 'camera=(), microphone=(), geolocation=()' },
  { key: 'Cross-Origin-Opener-Policy', value: 'same-origin' },
];

/** Pages get theirs from src/proxy.ts, anew for every request. What the API says is data and is never a page. */
const dataPolicy = {
  key: 'Content-Security-Policy',
  value: "default-src 'none'; frame-ancestors 'none'",
};

/**
 * The address of an order opens it for whoever has it: it is told to nobody else's server, and is in no search engine.
 * Not "no-referrer": browsers then hide where a form post comes from, and the server refuses those.
 */
const capabilityHeaders = [
  { key: 'Referrer-Policy', value: 'same-origin' },
  { key: 'X-Robots-Tag', value: 'noindex, nofollow, noarchive' },
];

/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  // They load workers, native code or themselves by path, which bundling breaks.
  serverExternalPackages: ['pino', 'pg', '@prisma/adapter-pg', 'graphile-worker'],
  headers: async () => [
    { source: '/:path*', headers: securityHeaders },
    { source: '/orders/:path*', headers: capabilityHeaders },
    { source: '/pay/:path*', headers: capabilityHeaders },
    { source: '/api/:path*', headers: [dataPolicy] },
  ],
};
