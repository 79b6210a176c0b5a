/**
 * An event as the provider sent it, fit for a screen: who paid, with which card, and what would let anybody act in the
 * shopper's name is covered. Names are matched anywhere in the payload, because providers nest the same things everywhere.
 */
const covered =
  /^(client_secret|.*secret|receipt_email|email|phone|name|address|line[12]|postal_code|city|number|cvc|fingerprint|exp_month|exp_year|iin|issuer|receipt_url|ip|ip_address|user_agent|authorization_code)$/;

const cover = '•••';

export function maskPayload(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskPayload);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      covered.test(name) && inner !== null ? cover : maskPayload(inner),
    ]),
  );
}
