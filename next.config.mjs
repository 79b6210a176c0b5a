import { maxPageBodyBytes } from './src/server/incoming/page-request.ts';
import { dataHeaders, securityHeaders } from './src/server/response-headers.ts';

/** @param {Readonly<Record<string, string>>} headers */
const asList = (headers) => Object.entries(headers).map(([key, value]) => ({ key, value }));

/**
 * The address of an order or an invitation is enough to open it, so browsers do not send it to other sites and search engines
 * do not list it.
 * Not "no-referrer": browsers then hide where a form post comes from, and the server refuses those.
 */
const capabilityHeaders = [
  { key: 'Referrer-Policy', value: 'same-origin' },
  { key: 'X-Robots-Tag', value: 'noindex, nofollow, noarchive' },
];

/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  // No page has such images. To make one smaller, Next would ask itself for any address, past src/proxy.ts and without the
  // client's address, by which requests are limited.
  images: { unoptimized: true },
  // `npm test` checks the types, also those of tests and tools; doing it again would double the time of the first start.
  typescript: { ignoreBuildErrors: true },
  experimental: {
    // The cache makes a second build quicker and the first one take half as long again, and an installation is built once.
    turbopackFileSystemCacheForBuild: false,
    // A page that is refreshed while the server restarts waits for it. Otherwise the browser's error page would replace it.
    useOffline: true,
    // Next keeps this much of every body twice, for src/proxy.ts and for the page, until its end arrives: 10 MB by default. It
    // is more than the proxy takes, so that the proxy sees that a body is too large.
    proxyClientMaxBodySize: 2 * maxPageBodyBytes,
    serverActions: { bodySizeLimit: maxPageBodyBytes },
  },
  // They load workers, native code or themselves by path, which bundling breaks.
  serverExternalPackages: ['pino', 'pg', '@prisma/adapter-pg', 'graphile-worker'],
  headers: async () => [
    { source: '/:path*', headers: asList(securityHeaders) },
    { source: '/orders/:path*', headers: capabilityHeaders },
    { source: '/pay/:path*', headers: capabilityHeaders },
    { source: '/admin/invitation/:path*', headers: capabilityHeaders },
    // The provider puts a secret of its own into this address.
    { source: '/bank-return', headers: capabilityHeaders },
    { source: '/api/:path*', headers: asList(dataHeaders) },
    {
      // Compression would hold back the events of a stream until a block is full.
      source: '/api/trpc/:path*',
      has: [{ type: 'header', key: 'accept', value: '.*text/event-stream.*' }],
      headers: [{ key: 'Cache-Control', value: 'no-store, no-transform' }],
    },
  ],
};
