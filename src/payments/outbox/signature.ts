import { createHmac, timingSafeEqual } from 'node:crypto';

export const signatureHeader = 'Paidonce-Signature';

/** `t=<unix seconds>,v1=<hex>`, an HMAC-SHA256 of `<t>.<body>` under the endpoint's secret: the same as Stripe's. */
export function sign(body: string, secret: string, at: Date): string {
  const seconds = String(Math.floor(at.getTime() / 1000));
  return `t=${seconds},v1=${digest(seconds, body, secret).toString('hex')}`;
}

/** Longer than any clock is wrong, shorter than a recorded request is worth replaying. */
const toleranceSeconds = 300;

/**
 * For merchants: whether a request really came from us, and recently.
 *
 * - Give it the body as it arrived, byte for byte. Parsing it and writing it out again changes it.
 * - Afterwards look at the event's `id`: the same event may come more than once, and is to be handled once.
 */
export function verifySignature(request: {
  readonly body: string;
  /** The `Paidonce-Signature` header. */
  readonly header: string;
  /** The `whsec_…` that was shown when the endpoint was set. */
  readonly secret: string;
  readonly now?: Date;
}): boolean {
  const { body, header, secret, now = new Date() } = request;
  const fields = header.split(',').map((field) => field.trim().split('=', 2) as [string, string | undefined]);
  const seconds = fields.find(([name]) => name === 't')?.[1] ?? '';
  if (!/^\d{1,12}$/.test(seconds)) return false;
  if (Math.abs(now.getTime() / 1000 - Number(seconds)) > toleranceSeconds) return false;
  const expected = digest(seconds, body, secret);
  // Several are allowed, so that a secret can be changed without a gap.
  return fields.some(([name, value = '']) => name === 'v1' && isEqual(Buffer.from(value, 'hex'), expected));
}

function digest(seconds: string, body: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(`${seconds}.${body}`).digest();
}

/** In the same time wherever they differ, so that a forger learns nothing from it. */
function isEqual(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
