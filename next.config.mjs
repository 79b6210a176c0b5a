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

/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  // They load workers, native code or themselves by path, which bundling breaks.
  serverExternalPackages: ['pino', 'pg', '@prisma/adapter-pg', 'graphile-worker'],
  headers: async () => [
    { source: '/:path*', headers: securityHeaders },
    { source: '/api/:path*', headers: [dataPolicy] },
  ],
};
