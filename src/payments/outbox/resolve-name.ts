import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import type { AddressRule } from './address-rule.ts';

/** A name whose servers are slow is given up after about six seconds, before the delivery is. */
const patience = { timeout: 2_000, tries: 2 };

/**
 * The addresses of a merchant's name, asked of the name servers themselves. `lookup` occupies one of the two threads that a
 * process has for names until the name's server answers, or for ten seconds and more if it does not: a few names with
 * silent servers would keep the names of all other merchants waiting.
 */
export async function resolveName(
  hostname: string,
  rule: AddressRule,
  servers?: readonly string[],
): Promise<LookupAddress[]> {
  // It is in a file of this machine, and nobody has to be asked.
  if (hostname === 'localhost') return lookup(hostname, { all: true });
  const resolver = new Resolver(patience);
  if (servers) resolver.setServers(servers);
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = [...addressesOf(four, 4), ...addressesOf(six, 6)];
  if (found.length > 0) return found;
  const isUnknown = [four, six].every(({ status, ...result }) => status === 'rejected' && isNone(result));
  if (!isUnknown) throw Object.assign(new Error('The name could not be looked up.'), { code: 'EAI_AGAIN' });
  // While things are tried out, a name may be one of this machine's own file.
  if (rule === 'public_or_loopback') return lookup(hostname, { all: true });
  throw Object.assign(new Error('No server has this name.'), { code: 'ENOTFOUND' });
}

function addressesOf(result: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
}

/** The name servers say that there is no such name, or that it has no address of this family. */
function isNone({ reason }: { readonly reason?: { readonly code?: string } }): boolean {
  return reason?.code === 'ENOTFOUND' || reason?.code === 'ENODATA';
}
