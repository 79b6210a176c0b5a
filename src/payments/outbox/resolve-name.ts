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
  // It is in a file of this machine, and no server has to be asked.
  if (hostname === 'localhost') return lookup(hostname, { all: true });
  const resolver = new Resolver(patience);
  if (servers) resolver.setServers(servers);
  const families = await Promise.all([
    addressesOf(resolver.resolve4(hostname), 4),
    addressesOf(resolver.resolve6(hostname), 6),
  ]);
  const found = families.flatMap(({ addresses }) => addresses);
  if (found.length > 0) return found;
  if (families.some(({ isKnown }) => !isKnown))
    throw Object.assign(new Error('The name could not be looked up.'), { code: 'EAI_AGAIN' });
  // While things are tried out, a name may be one of this machine's own file.
  if (rule === 'public_or_loopback') return lookup(hostname, { all: true });
  throw Object.assign(new Error('No server has this name.'), { code: 'ENOTFOUND' });
}

/** `isKnown`: the name servers say what its addresses are, or that there is no such name or no address of this family. */
async function addressesOf(
  answer: Promise<string[]>,
  family: 4 | 6,
): Promise<{ readonly addresses: LookupAddress[]; readonly isKnown: boolean }> {
  try {
    return { addresses: (await answer).map((address) => ({ address, family })), isKnown: true };
  } catch (error) {
    const { code = '' } = error as { code?: string };
    return { addresses: [], isKnown: ['ENOTFOUND', 'ENODATA'].includes(code) };
  }
}
