import { randomInt } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function randomText(length: number): string {
  let text = '';
  for (let i = 0; i < length; i += 1) text += ALPHABET.charAt(randomInt(ALPHABET.length));
  return text;
}

export type IdPrefix = 'pi' | 'ch' | 're' | 'evt' | 'we' | 'req';

// As at Stripe: 24 letters and digits after the prefix, and 14 in a request id. Collisions are practically impossible.
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomText(prefix === 'req' ? 14 : 24)}`;
}

export function newClientSecret(intentId: string): string {
  return `${intentId}_secret_${randomText(25)}`;
}

export function newWebhookSecret(): string {
  return `whsec_${randomText(32)}`;
}
