/** On every response. Strict-Transport-Security depends on a setting: see `incoming`. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
};

/**
 * Pages get a policy from src/proxy.ts, anew for every request. What the API sends is data and is never a page, and it belongs
 * to one caller: no cache on the way keeps it.
 */
export const dataHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
};

export const apiHeaders: Readonly<Record<string, string>> = { ...securityHeaders, ...dataHeaders };
