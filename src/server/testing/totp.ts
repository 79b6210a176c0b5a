import { createHmac } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The code of an authenticator app (RFC 6238) for the secret in its base32 form. */
export function totpOf(secret: string, now = Date.now()): string {
  const characters = secret.replaceAll(/[^A-Z2-7]/gi, '').toUpperCase();
  const bits = [...characters]
    .map((character) => alphabet.indexOf(character).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(now / 30_000)));
  const mac = createHmac('sha1', key).update(step).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 0xf) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** The next code, which is already valid. A test that has used the current one need not wait half a minute. */
export function nextTotpOf(secret: string): string {
  return totpOf(secret, Date.now() + 30_000);
}
