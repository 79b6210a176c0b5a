/**
 * Everything comes from our own origin, and from Stripe where its card fields are used: its script, its frames, its API
 * and the logos in it. Inline scripts run by their nonce only.
 *
 * Styles may be inline: React writes them as attributes, for which there are no nonces. Hot reload evaluates code and
 * speaks over a socket, which production never does.
 */
export function contentSecurityPolicy(options: {
  nonce: string;
  stripe: boolean;
  development: boolean;
}): string {
  const stripe = (...sources: string[]) => (options.stripe ? sources : []);
  const development = (...sources: string[]) => (options.development ? sources : []);
  const directives: Record<string, string[]> = {
    'default-src': ["'self'"],
    'script-src': [
      "'self'",
      `'nonce-${options.nonce}'`,
      ...development("'unsafe-eval'"),
      ...stripe('https://js.stripe.com', 'https://*.js.stripe.com'),
    ],
    'style-src': ["'self'", "'unsafe-inline'"],
    'img-src': ["'self'", 'data:', ...stripe('https://*.stripe.com')],
    'font-src': ["'self'"],
    'connect-src': ["'self'", ...development('ws:'), ...stripe('https://api.stripe.com')],
    'frame-src': options.stripe
      ? ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com']
      : ["'none'"],
    'object-src': ["'none'"],
    'base-uri': ["'self'"],
    'form-action': ["'self'"],
    'frame-ancestors': ["'none'"],
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ');
}
