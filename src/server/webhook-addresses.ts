import type { AddressRule } from '#payments/outbox/console.ts';
import type { Env } from './env.ts';

/** With the sandbox there is no real money, and a merchant's program under test runs on the same machine. */
export function webhookAddresses(settings: Pick<Env, 'provider'>): AddressRule {
  return settings.provider === 'sandbox' ? 'public_or_loopback' : 'public';
}
