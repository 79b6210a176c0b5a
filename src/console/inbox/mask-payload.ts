/**
 * Fields with personal data, card data or credentials. They are matched by name at any depth, because providers nest the
 * same objects in many places.
 */
const maskedFields =
  /^(client_secret|.*secret|receipt_email|email|phone|name|address|line[12]|postal_code|city|number|cvc|fingerprint|exp_month|exp_year|iin|issuer|receipt_url|ip|ip_address|user_agent|authorization_code)$/;

const mask = '•••';

/** The provider's event as it can be shown in the console. */
export function maskPayload(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskPayload);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      maskedFields.test(name) && inner !== null ? mask : maskPayload(inner),
    ]),
  );
}
