const development = process.env.NODE_ENV === 'development';

/**
 * Everything comes from our own origin. Next puts the page's data into inline scripts, which a fixed header can only
 * allow as a whole; hot reload evaluates code, which production never does.
 */
const contentSecurityPolicy = [
  "default-src 'self'",
  `script-src 'self' 'unsafe-inline'${development ? " 'unsafe-eval'" : ''}`,
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const securityHeaders = [
  { key: 'Content-Security-Policy', value: contentSecurityPolicy },
  { key: 'X-Content-Type-Options', value: 'nosniff' },
  { key: 'Referrer-Policy', value: 'strict-origin-when-cross-origin' },
  { key: 'Permissions-Policy', value: 'camera=(), microphone=(), geolocation=()' },
  { key: 'Cross-Origin-Opener-Policy', value: 'same-origin' },
];

/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  // They load workers, native code or themselves by path, which bundling breaks.
  serverExternalPackages: ['pino', 'pg', '@prisma/adapter-pg', 'graphile-worker'],
  headers: async () => [{ source: '/:path*', headers: securityHeaders }],
};
